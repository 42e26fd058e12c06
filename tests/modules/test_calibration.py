import math
import random

import pytest
import torch

from allennlp_svae.modules.calibration import Calibration
from allennlp_svae.modules.candidates import log_probs_of


def log_probs(*probs):
    return [(f"f{number}", math.log(prob)) for number, prob in enumerate(probs)]


def random_answers(count, sharpness):
    """Candidates whose probabilities to the power of `sharpness`, scaled, are how often each is right."""
    rng = random.Random(1)
    found, gold = [], []
    for _ in range(count):
        masses = [rng.expovariate(1.0) for _ in range(4)]
        probs = [mass / sum(masses) for mass in masses]
        # Some have fewer candidates than others.
        listed = rng.choice([2, 3])
        probs[listed:] = [sum(probs[listed:])]
        found.append(log_probs(*probs[:listed]))
        weights = [prob**sharpness for prob in probs]
        gold.append(rng.choices([*["f0", "f1", "f2"][:listed], "none"], weights)[0])
    return found, gold


def objective(calibration, found, preferences, gold):
    """What is expected before anything is seen, and the negative log-likelihood."""
    beta, bias = calibration.inverse_temperature.item(), calibration.bias.item()
    total = ((beta - 1.0) ** 2 + bias**2) / 2
    for candidates, sure, form in zip(found, calibration(found, preferences), gold, strict=True):
        by_form = {text: prob for (text, _), prob in zip(candidates, sure, strict=True)}
        total -= math.log(by_form.get(form, 1.0 - sum(sure)))
    return total


def test_before_fitting_it_is_the_probability() -> None:
    found = [log_probs(0.5, 0.2), log_probs(0.9), log_probs(0.1, 0.1, 0.1)]
    sure = Calibration()(found, log_probs_of(found))
    assert sure == [pytest.approx([math.exp(score) for _, score in one]) for one in found]
    assert Calibration()([], []) == []


def test_it_is_the_formula() -> None:
    calibration = Calibration()
    calibration.inverse_temperature.fill_(0.5)
    calibration.bias.fill_(0.3)
    found, preferences = [log_probs(0.5, 0.3)], [[math.log(0.5) - 1.0, math.log(0.3) - 2.0]]
    rest = math.log(0.2) + (0.5 * -1.0 + 0.3 * -2.0) / 0.8
    scores = [0.5 * preferences[0][0], 0.5 * preferences[0][1], 0.5 * rest + 0.3]
    total = sum(map(math.exp, scores))
    expected = [math.exp(score) / total for score in scores[:2]]
    assert calibration(found, preferences)[0] == pytest.approx(expected)


@pytest.mark.parametrize("sharpness", [0.5, 2.0])
def test_fit_is_the_best_of_a_grid_and_finds_the_sharpness(sharpness: float) -> None:
    found, gold = random_answers(4000, sharpness)
    preferences = log_probs_of(found)
    calibration = Calibration()
    calibration.fit(found, preferences, gold)
    assert calibration.inverse_temperature.item() == pytest.approx(sharpness, abs=0.1)
    least = objective(calibration, found, preferences, gold)
    for beta in (-0.05, 0.0, 0.05):
        for bias in (-0.05, 0.0, 0.05):
            other = Calibration()
            other.inverse_temperature.copy_(calibration.inverse_temperature + beta)
            other.bias.copy_(calibration.bias + bias)
            assert objective(other, found, preferences, gold) >= least - 1e-3


@pytest.mark.parametrize("gold", ["f0", "none"])
def test_few_answers_that_are_all_alike_are_no_reason_to_be_sure(gold: str) -> None:
    calibration = Calibration()
    found = [log_probs(0.6, 0.1), log_probs(0.8), log_probs(0.4, 0.3)]
    calibration.fit(found, log_probs_of(found), [gold] * 3)
    ((before, *_), *_) = Calibration()(found[:1], log_probs_of(found[:1]))
    ((after, *_), *_) = calibration(found[:1], log_probs_of(found[:1]))
    assert 0.1 < after < 0.9
    assert (after > before) == (gold == "f0")


def test_what_is_more_probable_is_never_less_sure() -> None:
    calibration = Calibration()
    found = [log_probs(0.7, 0.2), log_probs(0.6, 0.3)] * 200
    calibration.fit(found, log_probs_of(found), ["f1"] * len(found))
    assert calibration.inverse_temperature.item() == 0.0
    for sure, other in calibration(found, log_probs_of(found)):
        assert sure == pytest.approx(other)


def test_what_is_found_may_be_everything_or_impossible() -> None:
    found = [[("a", 0.0)], [("a", -torch.inf), ("b", 0.0)]]
    sure = Calibration()(found, log_probs_of(found))
    assert sure[0] == pytest.approx([1.0], abs=1e-5)
    assert sure[1] == pytest.approx([0.0, 1.0], abs=1e-5)


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_further_forms_share_what_the_first_leave(beta: float) -> None:
    calibration = Calibration()
    calibration.inverse_temperature.fill_(beta)
    calibration.bias.fill_(0.3)
    all_of_them = [log_probs(0.5, 0.2, 0.1, 0.05), log_probs(0.6, 0.3)]
    first = [candidates[:2] for candidates in all_of_them]
    expected = calibration(first, log_probs_of(first))
    sure = calibration(all_of_them, log_probs_of(all_of_them), calibrated=2)
    assert [row[:2] for row in sure] == [pytest.approx(row) for row in expected]
    assert list(map(len, sure)) == [4, 2]
    none = 1.0 - sum(expected[0])
    left = 0.1**beta + 0.05**beta + 0.15**beta * math.exp(0.3)
    assert sure[0][2:] == pytest.approx([none * p**beta / left for p in (0.1, 0.05)])
