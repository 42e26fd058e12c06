"""A learning rate schedule that does not need to know how many batches an epoch has."""

import math
from typing import List, Optional

import torch
from allennlp.training.learning_rate_schedulers import LearningRateScheduler


@LearningRateScheduler.register("epoch_decay")
class EpochDecay(LearningRateScheduler):
    """
    Warms up linearly over the first updates and falls along a cosine to zero (Loshchilov and Hutter, 2017). Wake-sleep
    hands the trainer its data after the schedule is made, so that the number of updates is not known: the first
    epoch, in which a cosine hardly falls, has the full rate and tells how many there are in the others.

    # Parameters

    optimizer : `torch.optim.Optimizer`
        Given by the trainer, as is `num_epochs`.
    num_epochs : `int`
    warmup_steps : `int`, optional (default = `100`)
        The number of updates until the full rate.
    """

    def __init__(
        self,
        optimizer: torch.optim.Optimizer,
        num_epochs: int,
        warmup_steps: int = 100,
    ) -> None:
        super().__init__(optimizer)
        self.num_epochs = num_epochs
        self.warmup_steps = warmup_steps
        self._epochs = 0
        self._updates = 0
        self._updates_of_epoch = 0
        self._epoch_length = 0
        self._set_rates()

    def step(self, metric: Optional[float] = None) -> None:
        self._epochs += 1
        self._epoch_length, self._updates_of_epoch = self._updates_of_epoch, 0
        self._set_rates()

    def step_batch(self, batch_num_total: Optional[int] = None) -> None:
        self._updates += 1
        self._updates_of_epoch += 1
        self._set_rates()

    def get_values(self) -> List[float]:
        progress = float(self._epochs)
        if self._epoch_length:
            progress += min(1.0, self._updates_of_epoch / self._epoch_length)
        decay = (1.0 + math.cos(math.pi * min(1.0, progress / self.num_epochs))) / 2
        # The first update has a rate above zero.
        warmup = min(1.0, max(1, self._updates) / self.warmup_steps) if self.warmup_steps else 1.0
        return [value * decay * warmup for value in self.base_values]

    def _set_rates(self) -> None:
        for group, value in zip(self.optimizer.param_groups, self.get_values(), strict=True):
            group["lr"] = value
