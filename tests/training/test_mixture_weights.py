import itertools
import math

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.training.mixture_weights import TOLERANCE, fit_mixture_weights

STEPS = 40
GRID = torch.tensor(
    [
        (first / STEPS, second / STEPS, (STEPS - first - second) / STEPS)
        for first, second in itertools.product(range(STEPS + 1), repeat=2)
        if first + second <= STEPS
    ],
    dtype=torch.double,
)
LOG_PROBS = st.floats(-30.0, 0.0) | st.just(-math.inf)


@given(st.lists(st.tuples(LOG_PROBS, LOG_PROBS, LOG_PROBS), min_size=1, max_size=8))
def test_no_weights_of_a_grid_are_likelier(columns):
    log_probs = torch.tensor(columns, dtype=torch.double).T
    writable = log_probs[:, log_probs.amax(dim=0) > -math.inf]
    if writable.size(1) == 0:
        with pytest.raises(ConfigurationError, match="Remedy"):
            fit_mixture_weights(log_probs)
        return
    weights = fit_mixture_weights(log_probs)
    assert weights.sum().item() == pytest.approx(1.0)
    assert weights.min() >= 0.0
    best = max(_likelihood(point, writable) for point in GRID)
    assert _likelihood(weights, writable) >= best - TOLERANCE - 1e-9


def test_of_two_that_share_nothing_each_has_its_items():
    log_probs = torch.tensor([[0.0, 0.0, 0.0, -math.inf], [-math.inf, -math.inf, -math.inf, -5.0]])
    assert fit_mixture_weights(log_probs).tolist() == pytest.approx([0.75, 0.25], abs=1e-2)


def _likelihood(weights, log_probs):
    return torch.logsumexp(log_probs + weights.log().unsqueeze(1), dim=0).mean().item()
