"""Weights averaged over the later part of training, whenever it ends, and over several trainings."""

from typing import Any, Dict, Iterable, Optional

import torch
from allennlp.training.moving_average import MovingAverage, NamedParameter


@MovingAverage.register("polynomial_decay")
class PolynomialDecayAverage(MovingAverage):
    """
    Shamir & Zhang's polynomial-decay average (ICML 2013, section 4): after k updates

        w̄_k = (1 - (η + 1) / (k + η)) w̄_{k-1} + (η + 1) / (k + η) w_k

    which weights w_i about as (i / k)^η. It does what averaging the second half does, without having
    to know when training ends. With η = 0 it is the plain mean. Where training begins anew (see `Restarts`), the value
    is the plain mean of the averages of all trainings.

    # Parameters

    parameters : `Iterable[NamedParameter]`
    eta : `float`, optional (default = `3.0`)
        η; a greater one forgets sooner.
    every : `int`, optional (default = `10`)
        Averages only every so many updates: weights change little in between, and reading all of
        them costs more than a sparse update.
    """

    def __init__(
        self, parameters: Iterable[NamedParameter], eta: float = 3.0, every: int = 10
    ) -> None:
        super().__init__(parameters)
        self.eta = eta
        self.every = every
        # Of this training: all updates, and those that are averaged.
        self._num_updates = 0
        self._count = 0
        self._num_finished = 0
        # The mean of the averages of finished trainings, once there is one.
        self._of_finished: Dict[str, torch.Tensor] = {}

    def apply(self, num_updates: Optional[int] = None) -> None:
        assert num_updates is not None
        self._num_updates += 1
        if num_updates % self.every:
            return
        self._count += 1
        share = (self.eta + 1.0) / (self._count + self.eta)
        for name, parameter in self._parameters:
            self._shadows[name].lerp_(parameter.data, share)

    def begin_with(self, num_trainings: int) -> None:
        """The parameters as they are count as the mean of so many finished trainings."""
        self._num_finished = num_trainings
        self._of_finished = {name: parameter.data.clone() for name, parameter in self._parameters}

    def begin_anew(self) -> None:
        """What is averaged from now on is another training's; one without updates does not count."""
        if self._num_updates == 0:
            return
        self._average_latest()
        self._num_finished += 1
        for name, shadow in self._shadows.items():
            if name in self._of_finished:
                self._of_finished[name].lerp_(shadow, 1.0 / self._num_finished)
            else:
                self._of_finished[name] = shadow.clone()
        self._num_updates = self._count = 0

    def assign_average_value(self) -> None:
        if self._num_updates > 0:
            self._average_latest()
        else:
            for name, parameter in self._parameters:
                self._shadows[name].copy_(self._of_finished.get(name, parameter.data))
        super().assign_average_value()
        if self._num_updates > 0 and self._num_finished > 0:
            for name, parameter in self._parameters:
                share = self._num_finished / (self._num_finished + 1)
                parameter.data.lerp_(self._of_finished[name], share)

    def _average_latest(self) -> None:
        """A training of few updates, none of which was averaged, is what it has come to."""
        if self._count == 0:
            for name, parameter in self._parameters:
                self._shadows[name].copy_(parameter.data)

    def state_dict(self) -> Dict[str, Any]:
        return {
            "shadows": self._shadows,
            "num_updates": self._num_updates,
            "count": self._count,
            "of_finished": self._of_finished,
            "num_finished": self._num_finished,
        }

    def load_state_dict(self, state_dict: Dict[str, Any]) -> None:
        # Not the parameters, as in the base class: the mean must follow those of the model at hand.
        for name, shadow in state_dict["shadows"].items():
            self._shadows[name].copy_(shadow)
        self._num_updates = state_dict["num_updates"]
        self._count = state_dict["count"]
        self._of_finished = {
            name: value.to(self._shadows[name]) for name, value in state_dict["of_finished"].items()
        }
        self._num_finished = state_dict["num_finished"]
