import io
import math

import pytest
import torch
from allennlp.common import Params
from allennlp.training.learning_rate_schedulers import LearningRateScheduler

from allennlp_svae.training.epoch_decay import EpochDecay


def scheduler(**kwargs) -> EpochDecay:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    return EpochDecay(optimizer, **kwargs)


def rate(made: EpochDecay) -> float:
    return made.optimizer.param_groups[0]["lr"]


def rates(made: EpochDecay, batches: int, epochs: int):
    """The rate of each update."""
    found = []
    for _ in range(epochs):
        for _ in range(batches):
            found.append(rate(made))
            made.step_batch()
        made.step()
    return found


def cosine(progress: float) -> float:
    return (1 + math.cos(math.pi * progress)) / 2


def test_it_warms_up_and_falls_along_a_cosine_after_the_first_epoch() -> None:
    made = scheduler(num_epochs=4, warmup_steps=2)
    falling = [cosine(update / 12) for update in range(3, 12)]
    assert rates(made, 3, 4) == pytest.approx([0.5, 0.5, 1.0, *falling])
    assert rate(made) == pytest.approx(0.0)


def test_how_many_batches_an_epoch_has_does_not_matter() -> None:
    few = rates(scheduler(num_epochs=3, warmup_steps=1), 2, 3)
    many = rates(scheduler(num_epochs=3, warmup_steps=1), 20, 3)
    assert few == pytest.approx(many[::10])


def test_epochs_of_different_lengths() -> None:
    made = scheduler(num_epochs=3, warmup_steps=0)
    rates(made, 2, 1)
    longer = rates(made, 5, 1)
    # More updates than in the epoch before: the rate waits for the epoch's end.
    assert longer[2:] == pytest.approx([cosine(2 / 3)] * 3)
    assert rate(made) == pytest.approx(cosine(2 / 3))


def test_without_warm_up_the_first_update_has_the_full_rate() -> None:
    assert rates(scheduler(num_epochs=2, warmup_steps=0), 1, 2) == [1.0, 0.5]


def test_a_restored_schedule_goes_on() -> None:
    half, rest = scheduler(num_epochs=4, warmup_steps=5), scheduler(num_epochs=4, warmup_steps=5)
    first = rates(half, 2, 2)
    state = io.BytesIO()
    torch.save(half.state_dict(), state)
    state.seek(0)
    rest.load_state_dict(torch.load(state))
    rest.optimizer.load_state_dict(half.optimizer.state_dict())
    assert first + rates(rest, 2, 2) == rates(scheduler(num_epochs=4, warmup_steps=5), 2, 4)


def test_jsonnet_builds_it() -> None:
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    params = Params({"type": "epoch_decay", "warmup_steps": 10})
    made = LearningRateScheduler.from_params(
        params=params, optimizer=optimizer, num_epochs=3, num_steps_per_epoch=7
    )
    assert isinstance(made, EpochDecay)
    assert rate(made) == pytest.approx(0.1)
