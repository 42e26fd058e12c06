"""
Several short trainings whose weights are averaged, instead of one long one.

A log-linear model of sparse features, trained on few sentences with Adagrad, remembers in which order they came first:
its accuracy varies by a point with the seed. Its likelihood is concave, or nearly so, and the mean of the weights that
several orders lead to is better than any of them (parameter mixing: McDonald, Hall & Mann 2010; Zinkevich et al. 2010).
"""

import math
from typing import Any, List

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.training import GradientDescentTrainer, TrainerCallback

from allennlp_svae.training.resumed import is_resumed
from allennlp_svae.training.validated_epochs import ValidatedEpochs
from allennlp_svae.training.weight_averaging import PolynomialDecayAverage


@TrainerCallback.register("restarts")
class Restarts(ValidatedEpochs):
    """
    After every so many epochs training begins anew, with parameters of zero and an optimizer that remembers nothing.
    What is validated, after each of these trainings, and kept is the mean of the averages of all.

    # Parameters

    serialization_dir : `str`
    every : `int`, optional (default = `3`)
        How many epochs one training has; the last has what is left.
    continued : `bool`, optional (default = `False`)
        Whether parameters that are not zero at the beginning come from such trainings themselves, on data akin. Their
        mean then counts as much as all trainings from now on.

    # Raises

    `ConfigurationError` where the trainer has no `polynomial_decay` average, or the parameters that are to be trained
    are not zero at the beginning though nothing is `continued`.
    """

    def __init__(self, serialization_dir: str, every: int = 3, continued: bool = False) -> None:
        super().__init__(serialization_dir)
        if every < 1:
            raise ConfigurationError(f"`every` of restarts must be at least 1, not {every}.")
        self.every = every
        self.continued = continued

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        average = trainer._moving_average
        if not isinstance(average, PolynomialDecayAverage):
            raise ConfigurationError(
                "restarts average over trainings: set the trainer's moving_average to polynomial_decay."
            )
        if is_resumed(trainer) or not any(map(torch.any, _trained(trainer))):
            return
        if not self.continued:
            raise ConfigurationError(
                "restarts are for models whose training begins at zero, and this one's does not. Remedy: leave them "
                "out, or set `continued` if such trainings are what it goes on from."
            )
        average.begin_with(math.ceil(trainer._num_epochs / self.every))
        self._begin_at_zero(trainer)

    def on_epoch(
        self,
        trainer: GradientDescentTrainer,
        metrics: Any,
        epoch: int,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        if not self.validates(trainer, epoch):
            return
        average = trainer._moving_average
        assert isinstance(average, PolynomialDecayAverage)
        average.begin_anew()
        self._begin_at_zero(trainer)
        _forget(trainer.optimizer)

    def validates(self, trainer: GradientDescentTrainer, epoch: int) -> bool:
        """The last of each training."""
        return (epoch + 1) % self.every == 0 or epoch + 1 == trainer._num_epochs

    def _begin_at_zero(self, trainer: GradientDescentTrainer) -> None:
        for parameter in _trained(trainer):
            parameter.data.zero_()


def _trained(trainer: GradientDescentTrainer) -> List[torch.nn.Parameter]:
    return [each for each in trainer.model.parameters() if each.requires_grad]


def _forget(optimizer: torch.optim.Optimizer) -> None:
    """Its state is as if there had been no update; learning rates stay as the schedule has them."""
    if not isinstance(optimizer, torch.optim.Adagrad):
        optimizer.state.clear()
        return
    # It makes its state once, in its constructor.
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            state = optimizer.state[parameter]
            state["sum"].fill_(group["initial_accumulator_value"])
            state["step"].zero_()
