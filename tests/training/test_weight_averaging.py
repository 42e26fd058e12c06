"""The mean of the weights of the later updates."""

from typing import Dict

import pytest
import torch

from allennlp_svae.training.weight_averaging import TailAverage


def run(average: TailAverage, weight: torch.nn.Parameter, first: int, last: int) -> None:
    for update in range(first, last + 1):
        weight.data.fill_(float(update))
        average.apply(update)


def test_it_is_the_mean_of_every_so_many_later_weights() -> None:
    weight = torch.nn.Parameter(torch.zeros(1))
    average = TailAverage([("w", weight)], first_update=4, every=2)
    run(average, weight, 1, 10)
    average.assign_average_value()
    assert float(weight) == pytest.approx((6 + 8 + 10) / 3)
    average.restore()
    assert float(weight) == 10.0


def test_before_the_first_it_is_the_latest_weight() -> None:
    weight = torch.nn.Parameter(torch.zeros(1))
    average = TailAverage([("w", weight)], first_update=4)
    run(average, weight, 1, 3)
    average.assign_average_value()
    assert float(weight) == 3.0


def test_a_restored_average_goes_on_with_the_parameters_at_hand() -> None:
    def value_after(state: Dict, start: int) -> float:
        weight = torch.nn.Parameter(torch.zeros(1))
        average = TailAverage([("w", weight)], first_update=0, every=1)
        if state:
            average.load_state_dict(state)
        run(average, weight, start, 6)
        average.assign_average_value()
        return float(weight)

    weight = torch.nn.Parameter(torch.zeros(1))
    half = TailAverage([("w", weight)], first_update=0, every=1)
    run(half, weight, 1, 3)
    assert value_after(half.state_dict(), 4) == pytest.approx(value_after({}, 1))
