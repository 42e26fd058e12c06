"""Weights averaged over the later part of training, whenever it ends (Shamir & Zhang 2013)."""

from typing import Any, Dict, Iterable, Optional

from allennlp.training.moving_average import MovingAverage, NamedParameter


@MovingAverage.register("polynomial_decay")
class PolynomialDecayAverage(MovingAverage):
    """
    Shamir & Zhang's polynomial-decay average (ICML 2013, section 4): after k updates

        w̄_k = (1 - (η + 1) / (k + η)) w̄_{k-1} + (η + 1) / (k + η) w_k

    which weights w_i about as (i / k)^η. It does what averaging the second half does, without having
    to know when training ends. With η = 0 it is the plain mean.

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
        self._count = 0

    def apply(self, num_updates: Optional[int] = None) -> None:
        assert num_updates is not None
        if num_updates % self.every:
            return
        self._count += 1
        share = (self.eta + 1.0) / (self._count + self.eta)
        for name, parameter in self._parameters:
            self._shadows[name].lerp_(parameter.data, share)

    def assign_average_value(self) -> None:
        if self._count == 0:
            for name, parameter in self._parameters:
                self._shadows[name].copy_(parameter.data)
        super().assign_average_value()

    def state_dict(self) -> Dict[str, Any]:
        return {"shadows": self._shadows, "count": self._count}

    def load_state_dict(self, state_dict: Dict[str, Any]) -> None:
        # Not the parameters, as in the base class: the mean must follow those of the model at hand.
        for name, shadow in state_dict["shadows"].items():
            self._shadows[name].copy_(shadow)
        self._count = state_dict["count"]
