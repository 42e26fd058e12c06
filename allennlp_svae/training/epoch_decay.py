"""A learning rate schedule that does not need to know how many batches an epoch has."""

from typing import List, Optional

import torch
from allennlp.training.learning_rate_schedulers import LearningRateScheduler


@LearningRateScheduler.register("epoch_decay")
class EpochDecay(LearningRateScheduler):
    """
    Warms up linearly over the first updates and falls linearly, epoch by epoch, to one `num_epochs`th
    of the rate in the last one. Wake-sleep hands the trainer its data after the schedule is made, so
    a schedule by updates would end too early.

    # Parameters

    optimizer : `torch.optim.Optimizer`
        Given by the trainer, as is `num_epochs`.
    num_epochs : `int`
    num_steps_per_epoch : `int`, optional (default = `None`)
        Given by the trainer; not used.
    warmup_steps : `int`, optional (default = `100`)
        The number of updates until the full rate.
    """

    def __init__(
        self,
        optimizer: torch.optim.Optimizer,
        num_epochs: int,
        num_steps_per_epoch: Optional[int] = None,
        warmup_steps: int = 100,
    ) -> None:
        super().__init__(optimizer)
        self.num_epochs = num_epochs
        self.warmup_steps = warmup_steps
        self._epochs = 0
        self._updates = 0
        self._set_rates()

    def step(self, metric: Optional[float] = None) -> None:
        self._epochs += 1
        self._set_rates()

    def step_batch(self, batch_num_total: Optional[int] = None) -> None:
        self._updates += 1
        if self._updates <= self.warmup_steps:
            self._set_rates()

    def get_values(self) -> List[float]:
        decay = max(1, self.num_epochs - self._epochs) / self.num_epochs
        # The first update has a rate above zero.
        warmup = min(1.0, max(1, self._updates) / self.warmup_steps) if self.warmup_steps else 1.0
        return [value * decay * warmup for value in self.base_values]

    def _set_rates(self) -> None:
        for group, value in zip(self.optimizer.param_groups, self.get_values(), strict=True):
            group["lr"] = value
