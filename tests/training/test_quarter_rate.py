import io
from typing import List

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.training.learning_rate_schedulers import LearningRateScheduler
from allennlp.training.metric_tracker import MetricTracker

from allennlp_svae.training.quarter_rate import QuarterRate

LOSSES = [5.0, 4.0, 4.5, 4.0, 3.0]


def optimizer() -> torch.optim.Optimizer:
    return torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=20.0)


def rates(scheduler: QuarterRate, losses: List[float]) -> List[float]:
    """The rate after each epoch, the metric being what the trainer makes of `-loss`."""
    tracker = MetricTracker("-loss")
    found = []
    for loss in losses:
        scheduler.step(tracker.combined_score({"loss": loss}))
        found.append(scheduler.optimizer.param_groups[0]["lr"])
    return found


def test_no_improvement_quarters_after_an_epoch_that_is_not_the_best() -> None:
    # 4.0 again is no new minimum.
    assert rates(QuarterRate(optimizer()), LOSSES) == [20.0, 20.0, 5.0, 1.25, 1.25]


def test_new_minimum_quarters_after_an_epoch_that_is() -> None:
    scheduler = QuarterRate(optimizer(), quarter_when="new_minimum")
    assert rates(scheduler, LOSSES) == [5.0, 1.25, 1.25, 1.25, 0.3125]


def test_a_loss_that_is_no_number_counts_as_no_improvement() -> None:
    assert rates(QuarterRate(optimizer()), [5.0, float("nan"), 4.0]) == [20.0, 5.0, 5.0]


@pytest.mark.parametrize("quarter_when", ["no_improvement", "new_minimum"])
@pytest.mark.parametrize("stop", range(1, len(LOSSES)))
def test_restored_it_goes_on_as_if_uninterrupted(quarter_when: str, stop: int) -> None:
    whole = rates(QuarterRate(optimizer(), quarter_when), LOSSES)
    first = QuarterRate(optimizer(), quarter_when)
    rates(first, LOSSES[:stop])
    # As a checkpoint is read: weights only, so plain Python values alone will do.
    buffer = io.BytesIO()
    torch.save((first.state_dict(), first.optimizer.state_dict()), buffer)
    buffer.seek(0)
    state, optimizer_state = torch.load(buffer, weights_only=True)
    second = QuarterRate(optimizer(), quarter_when)
    second.optimizer.load_state_dict(optimizer_state)
    second.load_state_dict(state)
    assert rates(second, LOSSES[stop:]) == whole[stop:]


def test_is_registered() -> None:
    scheduler = LearningRateScheduler.from_params(
        Params({"type": "quarter_rate", "quarter_when": "new_minimum"}), optimizer=optimizer()
    )
    assert rates(scheduler, [1.0, 2.0]) == [5.0, 5.0]


def test_bad_configuration_is_said() -> None:
    with pytest.raises(ConfigurationError, match="no_improvement, new_minimum"):
        QuarterRate(optimizer(), quarter_when="always")
    with pytest.raises(ConfigurationError, match="validation_data_path"):
        QuarterRate(optimizer()).step(None)
