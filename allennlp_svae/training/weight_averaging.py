"""Weights averaged over the later part of training (Polyak & Juditsky 1992)."""

from typing import Any, Dict, Iterable, Optional

from allennlp.training.moving_average import MovingAverage, NamedParameter


@MovingAverage.register("tail")
class TailAverage(MovingAverage):
    """
    The plain mean of the weights from some update on; before it, the latest weights.

    # Parameters

    parameters : `Iterable[NamedParameter]`
    first_update : `int`, optional (default = `0`)
        Updates after this many enter the mean.
    every : `int`, optional (default = `10`)
        Only every so many updates: weights change little in between, and reading all of them costs
        more than a sparse update.
    """

    def __init__(
        self, parameters: Iterable[NamedParameter], first_update: int = 0, every: int = 10
    ) -> None:
        super().__init__(parameters)
        self.first_update = first_update
        self.every = every
        self._count = 0

    def apply(self, num_updates: Optional[int] = None) -> None:
        assert num_updates is not None
        if num_updates <= self.first_update or num_updates % self.every:
            return
        self._count += 1
        for name, parameter in self._parameters:
            self._shadows[name].lerp_(parameter.data, 1.0 / self._count)

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
