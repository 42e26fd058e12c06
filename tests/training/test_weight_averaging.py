"""The average of the weights of the later updates."""

from copy import deepcopy
from typing import Dict, List

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.training.weight_averaging import PolynomialDecayAverage


def run(average: PolynomialDecayAverage, weight: torch.nn.Parameter, first: int, last: int) -> None:
    for update in range(first, last + 1):
        weight.data.fill_(float(update))
        average.apply(update)


def test_without_decay_it_is_the_mean_of_every_so_many_weights() -> None:
    weight = torch.nn.Parameter(torch.zeros(1))
    average = PolynomialDecayAverage([("w", weight)], eta=0.0, every=2)
    run(average, weight, 1, 10)
    average.assign_average_value()
    assert float(weight) == pytest.approx((2 + 4 + 6 + 8 + 10) / 5)
    average.restore()
    assert float(weight) == 10.0


def test_with_decay_it_weights_the_later_ones_by_a_power() -> None:
    # The weight at update i is 1 for one i only, so the average shows that update's share.
    length, eta = 400, 3

    def share(position: int) -> float:
        weight = torch.nn.Parameter(torch.zeros(1))
        average = PolynomialDecayAverage([("w", weight)], eta=float(eta), every=1)
        for update in range(1, length + 1):
            weight.data.fill_(float(update == position))
            average.apply(update)
        average.assign_average_value()
        return float(weight)

    for position in (100, 200, 300, 400):
        expected = (position / length) ** eta * (eta + 1) / length
        assert share(position) == pytest.approx(expected, rel=0.05)


def test_before_the_first_it_is_the_latest_weight() -> None:
    weight = torch.nn.Parameter(torch.zeros(1))
    average = PolynomialDecayAverage([("w", weight)], every=4)
    run(average, weight, 1, 3)
    average.assign_average_value()
    assert float(weight) == 3.0


def test_a_restored_average_goes_on_with_the_parameters_at_hand() -> None:
    def value_after(state: Dict, start: int) -> float:
        weight = torch.nn.Parameter(torch.zeros(1))
        average = PolynomialDecayAverage([("w", weight)], every=1)
        if state:
            average.load_state_dict(state)
        run(average, weight, start, 6)
        average.assign_average_value()
        return float(weight)

    weight = torch.nn.Parameter(torch.zeros(1))
    half = PolynomialDecayAverage([("w", weight)], every=1)
    run(half, weight, 1, 3)
    assert value_after(half.state_dict(), 4) == pytest.approx(value_after({}, 1))


@given(
    st.lists(st.lists(st.floats(-5, 5), max_size=6), min_size=1, max_size=5),
    st.integers(1, 4),
    st.booleans(),
)
def test_over_several_trainings_it_is_the_mean_of_their_averages(
    trainings: List[List[float]], every: int, is_finished: bool
) -> None:
    def train(
        average: PolynomialDecayAverage, weight: torch.nn.Parameter, to: List[float], first: int
    ) -> None:
        for update, value in enumerate(to, first):
            weight.data.fill_(value)
            average.apply(update)

    def value_of(average: PolynomialDecayAverage, weight: torch.nn.Parameter) -> float:
        average.assign_average_value()
        value = float(weight)
        average.restore()
        return value

    weight = torch.nn.Parameter(torch.zeros(1))
    together = PolynomialDecayAverage([("w", weight)], every=every)
    alone = []
    update = 1
    for number, training in enumerate(trainings, 1):
        train(together, weight, training, update)
        once = torch.nn.Parameter(torch.zeros(1))
        average = PolynomialDecayAverage([("w", once)], every=every)
        train(average, once, training, update)
        update += len(training)
        if training:
            alone.append(value_of(average, once))
        if number < len(trainings) or is_finished:
            together.begin_anew()
            weight.data.zero_()
        # As a recovered run would.
        copy = PolynomialDecayAverage([("w", weight)], every=every)
        copy.load_state_dict(deepcopy(together.state_dict()))
        together = copy
    if alone:
        assert value_of(together, weight) == pytest.approx(sum(alone) / len(alone), abs=1e-5)
    else:
        assert value_of(together, weight) == 0.0
