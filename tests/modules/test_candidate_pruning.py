"""Which states pruning leaves."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.modules.candidate_pruning import (
    MOST_OVER_TARGET,
    CandidateStates,
    all_states,
    prune,
)

LENGTHS = [6, 1, 3]
MASK = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS).unsqueeze(-1)


def random_posteriors(seed: int, num_states: int, spread: float = 2.0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    scores = torch.randn(*MASK.shape, num_states, generator=generator, dtype=torch.double)
    return (spread * scores).softmax(dim=-1)


def kept(candidates: CandidateStates, row: int, column: int) -> set[int]:
    is_candidate = candidates.is_candidate[row, column]
    states = candidates.states[row, column][is_candidate].tolist()
    assert len(set(states)) == len(states)
    return set(states)


@given(st.integers(0, 1000), st.integers(2, 12), st.floats(1.0, 6.0), st.floats(0.5, 5.0))
def test_what_stays_is_the_likeliest_of_the_sequence(
    seed: int, num_states: int, target: float, spread: float
) -> None:
    posteriors = random_posteriors(seed, num_states, spread)
    candidates = prune(posteriors, MASK, target)
    for row, length in enumerate(LENGTHS):
        counts = []
        kept_posteriors, lost_posteriors = [], []
        for column in range(length):
            states = kept(candidates, row, column)
            best = int(posteriors[row, column].argmax())
            assert best in states
            counts.append(len(states))
            # A token that is full says nothing about the threshold.
            is_full = len(states) >= MOST_OVER_TARGET * target
            for state, posterior in enumerate(posteriors[row, column].tolist()):
                if state in states - {best}:
                    kept_posteriors.append(posterior)
                elif state != best and not is_full:
                    lost_posteriors.append(posterior)
        assert min(kept_posteriors, default=1.0) >= max(lost_posteriors, default=0.0)
        if num_states > MOST_OVER_TARGET * target:
            assert sum(counts) == length + round((target - 1) * length)


def test_the_sure_leave_room_to_the_unsure() -> None:
    posteriors = torch.tensor([[[1.0, 0, 0, 0], [0.4, 0.3, 0.2, 0.1], [0.9, 0.1, 0, 0]]])
    candidates = prune(posteriors, torch.ones(1, 3, dtype=torch.bool), 5 / 3)
    assert [kept(candidates, 0, column) for column in range(3)] == [{0}, {0, 1, 2}, {0}]
    one = prune(posteriors, torch.ones(1, 3, dtype=torch.bool), 1.0)
    assert one.states.tolist() == [[[0], [0], [0]]]


def test_no_token_takes_all_that_others_leave() -> None:
    posteriors = torch.tensor([[[0.3, 0.25, 0.2, 0.15, 0.1], *[[1.0, 0, 0, 0, 0]] * 5]])
    candidates = prune(posteriors, torch.ones(1, 6, dtype=torch.bool), 2.0)
    # Twice the target, though there were six to give away.
    assert kept(candidates, 0, 0) == {0, 1, 2, 3}


def test_what_was_no_candidate_does_not_return() -> None:
    posteriors = random_posteriors(0, 6)
    posteriors[..., 2:] = 0.0
    candidates = prune(posteriors, MASK, 5.0)
    assert set(candidates.states[candidates.is_candidate].tolist()) <= {0, 1}


def test_sequences_are_pruned_whatever_their_company() -> None:
    posteriors = random_posteriors(1, 9)
    together = prune(posteriors, MASK, 3.0)
    for row, length in enumerate(LENGTHS):
        alone = prune(posteriors[row : row + 1, :length], MASK[row : row + 1, :length], 3.0)
        for column in range(length):
            assert kept(alone, 0, column) == kept(together, row, column)


def test_states_are_included_where_they_are_lacking() -> None:
    posteriors = random_posteriors(2, 9)
    pruned = prune(posteriors, MASK, 2.0)
    states = torch.full(MASK.shape, -1)
    states[0] = posteriors[0].argmin(dim=-1)
    states[2, 0] = posteriors[2, 0].argmax(dim=-1)
    lacking = pruned.lack(states)
    assert bool(lacking[0].all())
    assert not bool(lacking[1:].any())
    included = pruned.including(states)
    assert not bool(included.lack(states).any())
    for row, column in MASK.nonzero().tolist():
        added = {int(states[row, column])} - {-1}
        assert kept(included, row, column) == kept(pruned, row, column) | added
    assert bool(included.is_candidate[..., 0].all())


@pytest.mark.parametrize("state", [0, 3])
def test_all_states_lack_none(state: int) -> None:
    assert not bool(all_states(MASK, 4).lack(torch.full(MASK.shape, state)).any())
