"""
Coarse to fine: which states of each token a CRF goes on with, by their posterior under the order
before (Müller, Schmid & Schütze 2013, section 3).
"""

import math
from typing import NamedTuple

import torch
from torch.nn import functional

# No token has more candidates than so many times the target: the costliest sets a batch's cost.
MOST_OVER_TARGET = 2


class CandidateStates(NamedTuple):
    """
    # Parameters

    states : `torch.LongTensor`
        Which state each candidate is, each at most once a position; shape (batch_size, length, num_candidates).
    is_candidate : `torch.BoolTensor`
        False where a position has fewer, and never for the first; same shape.
    """

    states: torch.LongTensor
    is_candidate: torch.BoolTensor

    def lack(self, states: torch.LongTensor) -> torch.BoolTensor:
        """Where a state other than -1 is no candidate; `states` and the result of shape (batch_size, length)."""
        found = (self.states == states.unsqueeze(-1)) & self.is_candidate
        return (states >= 0) & ~found.any(dim=-1)

    def including(self, states: torch.LongTensor) -> "CandidateStates":
        """With these states, -1 for none, as candidates too; shape (batch_size, length)."""
        is_lacking = self.lack(states).unsqueeze(-1)
        return CandidateStates(
            torch.cat([self.states, states.clamp(min=0).unsqueeze(-1)], dim=-1),
            torch.cat([self.is_candidate, is_lacking], dim=-1),
        ).narrowed()

    def narrowed(self) -> "CandidateStates":
        """Without the columns in which no position has a candidate."""
        order = self.is_candidate.int().argsort(dim=-1, descending=True, stable=True)
        order = order[..., : int(self.is_candidate.sum(dim=-1).max())]
        return CandidateStates(self.states.gather(-1, order), self.is_candidate.gather(-1, order))


def all_states(mask: torch.BoolTensor, num_states: int) -> CandidateStates:
    """Nothing pruned; `mask` of shape (batch_size, length)."""
    states = torch.arange(num_states, device=mask.device).expand(*mask.shape, -1)
    return CandidateStates(states, torch.ones_like(states, dtype=torch.bool))


def prune(posteriors: torch.Tensor, mask: torch.BoolTensor, target: float) -> CandidateStates:
    """
    Of each token its likeliest state and all above the threshold that leaves `target` candidates a token
    on average in its sequence. MarMoT's threshold is one for all, adapted in training; but after training on
    few tokens posteriors of new ones are so much flatter that it left 14 candidates instead of 4 (Turkish,
    500 tokens, at most 16).

    # Parameters

    posteriors : `torch.Tensor`
        0 for what is no candidate any more; shape (batch_size, length, num_states).
    mask : `torch.BoolTensor`
        Shape (batch_size, length).
    target : `float`
        At least 1. No token has more than twice as many.
    """
    most = min(math.ceil(MOST_OVER_TARGET * target), posteriors.size(-1))
    values, states = posteriors.topk(most)
    others = values[..., 1:] * mask.unsqueeze(-1)
    num_others = ((target - 1) * mask.sum(dim=1)).round().long()
    # Shape: (batch_size, 1 + length * (most - 1)); no threshold reaches what comes first.
    falling = others.flatten(1).sort(dim=-1, descending=True).values
    falling = functional.pad(falling, (1, 0), value=torch.inf)
    rank = num_others.clamp(max=falling.size(1) - 1).unsqueeze(-1)
    threshold = falling.gather(-1, rank).unsqueeze(-1)
    is_other = (others >= threshold) & (others > 0)
    is_best = torch.ones_like(mask).unsqueeze(-1)
    return CandidateStates(states, torch.cat([is_best, is_other], dim=-1)).narrowed()
