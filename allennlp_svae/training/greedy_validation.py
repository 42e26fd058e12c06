"""Choosing the best epoch costs less than measuring it as well as it can be used."""

from typing import Any

from allennlp.training import GradientDescentTrainer, TrainerCallback

from allennlp_svae.training.inflector_of import inflector_of


@TrainerCallback.register("greedy_validation")
class GreedyValidation(TrainerCallback):
    """
    Validates an inflector, or an `svae`'s, by greedy decoding after each epoch. Metrics that are taken when training
    has ended, as by `allennlp evaluate`, use the model's `metric_beam_size`.

    # Parameters

    serialization_dir : `str`
    """

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        inflector = inflector_of(trainer.model)
        self._width = inflector.metric_beam_size
        if self._width > 1:
            inflector.metric_beam_size = 1

    def on_end(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        if self._width > 1:
            inflector_of(trainer.model).metric_beam_size = self._width
