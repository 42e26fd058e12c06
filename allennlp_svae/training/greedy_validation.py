"""Validating an inflector for less than measuring it as well as it can be used."""

from typing import Any, Optional

from allennlp.common.checks import ConfigurationError
from allennlp.training import GradientDescentTrainer, TrainerCallback

from allennlp_svae.training.inflector_of import inflector_of
from allennlp_svae.training.validated_epochs import ValidatedEpochs


@TrainerCallback.register("greedy_validation")
class GreedyValidation(ValidatedEpochs):
    """
    Validates an inflector, or an `svae`'s, by greedy decoding. Metrics that are taken when training has ended, as by
    `allennlp evaluate`, use the model's `metric_beam_size`.

    # Parameters

    serialization_dir : `str`
    last_epochs : `int`, optional (default = all)
        How many of the last epochs are validated: the best of these is kept. One is enough where the rate falls to
        zero, since no earlier epoch is better then.

    # Raises

    `ConfigurationError` where no epoch would be validated.
    """

    def __init__(self, serialization_dir: str, last_epochs: Optional[int] = None) -> None:
        super().__init__(serialization_dir)
        if last_epochs is not None and last_epochs < 1:
            raise ConfigurationError("`last_epochs` of greedy_validation must be at least 1.")
        self._last_epochs = last_epochs

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        inflector = inflector_of(trainer.model)
        self._width = inflector.metric_beam_size
        if self._width > 1:
            inflector.metric_beam_size = 1

    def on_batch(self, *args: Any, **kwargs: Any) -> None:
        # Otherwise it is left to other callbacks.
        if self._last_epochs is not None:
            super().on_batch(*args, **kwargs)

    def on_end(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        if self._width > 1:
            inflector_of(trainer.model).metric_beam_size = self._width

    def validates(self, trainer: GradientDescentTrainer, epoch: int) -> bool:
        assert self._last_epochs is not None
        return epoch >= trainer._num_epochs - self._last_epochs
