"""The learning rate schedule of the tag language model (paper, Appendix A)."""

from typing import List, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.training.learning_rate_schedulers import LearningRateScheduler

QUARTER_WHEN = ("no_improvement", "new_minimum")


@LearningRateScheduler.register("quarter_rate")
class QuarterRate(LearningRateScheduler):
    """
    Divides the learning rate after epochs chosen by the validation metric.

    Appendix A: "the learning rate is quartered during any epoch where the loss on the validation
    set reaches a new minimum". To the letter this punishes success: four good epochs and a rate of
    20 is .08. The rest of the paragraph (two layers of 200, rate 20, dropout .2, 40 epochs,
    clipping at .25) is that of PyTorch's `word_language_model` example, which quarters the rate
    when the loss does *not* reach a new minimum. Both readings are here.

    # Parameters

    optimizer : `torch.optim.Optimizer`
        Given by the trainer.
    quarter_when : `str`, optional (default = `"no_improvement"`)
        `"no_improvement"`: after an epoch that is not the best so far. `"new_minimum"`: after an
        epoch that is (so always after the first), the letter of the paper.

    # Raises

    `ConfigurationError` where `quarter_when` is neither, or the trainer has no validation data.
    """

    def __init__(
        self,
        optimizer: torch.optim.Optimizer,
        quarter_when: str = "no_improvement",
    ) -> None:
        if quarter_when not in QUARTER_WHEN:
            raise ConfigurationError(
                f"`quarter_when` is {quarter_when!r}; it can be one of {', '.join(QUARTER_WHEN)}."
            )
        super().__init__(optimizer)
        self.quarter_when = quarter_when
        self._best: Optional[float] = None
        self._divisor = 1.0

    def step(self, metric: Optional[float] = None) -> None:
        """`metric` is the trainer's combined score: higher is better, whatever its name."""
        if metric is None:
            raise ConfigurationError(
                "`quarter_rate` follows the validation metric, and this trainer has none. "
                "Remedy: give the configuration `validation_data_path`."
            )
        is_best = self._best is None or metric > self._best
        if is_best:
            self._best = float(metric)
        if is_best == (self.quarter_when == "new_minimum"):
            self._divisor *= 4.0
        super().step(float(metric))

    def get_values(self) -> List[float]:
        return [value / self._divisor for value in self.base_values]
