"""
The chain CRF of order k over lists of candidates, a few states for each position. Its recursion costs
length · num_candidates^(k+1), whatever the number of states.
"""

from typing import Callable, List, Optional, Tuple

import numpy
import torch
from torch.nn import functional

from allennlp_svae.modules.candidate_pruning import CandidateStates
from allennlp_svae.modules.chain_crf import ChainCRF, Semiring, States, Step, Variants
from allennlp_svae.modules.path_search import RULED_OUT, Path

# What is so many nats below the best of its position counts as that; less would not be a normal number any more.
_LEAST = -80.0

# Of a sum of products. A smaller one may owe what it is to what counts as more than it is.
_SMALLEST_SUM = 1e-25


class PrunedChainCRF(ChainCRF):
    """
    What is not a candidate has no probability. Sequences, marginals and variants are those of the
    states, as in `LinearChainCRF`.

    # Parameters

    emissions : `torch.Tensor`
        Scores of each state at each position; -inf rules a state out; shape
        (batch_size, length, num_states).
    transitions : `torch.Tensor`
        The finite scores of moving from the k candidates before each position but the first to each
        of its own; where there are fewer before, candidate 0 stands for what precedes the sequence.
        Shape (batch_size, length - 1, num_candidates, ..., num_candidates), k + 1 times; k is at least 1.
    mask : `torch.BoolTensor`
        False on padding, which is on the right; shape (batch_size, length).
    candidates : `CandidateStates`
    """

    def __init__(
        self,
        emissions: torch.Tensor,
        transitions: torch.Tensor,
        mask: torch.BoolTensor,
        candidates: CandidateStates,
    ) -> None:
        of_candidates = emissions.gather(-1, candidates.states).clamp(min=RULED_OUT)
        super().__init__(
            of_candidates.masked_fill(~candidates.is_candidate, RULED_OUT), transitions, mask
        )
        self.candidates = candidates
        self.num_states = emissions.size(-1)
        self.order = transitions.dim() - 3

    def path_score(self, states: torch.LongTensor) -> torch.Tensor:
        """-inf where a state is no candidate."""
        found = (self.candidates.states == states.unsqueeze(-1)) & self.candidates.is_candidate
        # Shape: (batch_size, length)
        ranks = found.int().argmax(dim=-1)
        emitted = self.emissions.gather(-1, ranks.unsqueeze(-1)).squeeze(-1)
        emitted = emitted.masked_fill(~found.any(dim=-1), -torch.inf)
        # The candidates that each position but the first is reached from, and its own, k + 1 times
        # shape (batch_size, length - 1).
        num_moves = ranks.size(1) - 1
        before = functional.pad(ranks, (self.order - 1, 0))
        windows = [before[:, lag : lag + num_moves] for lag in range(self.order + 1)]
        rows = torch.arange(len(ranks), device=ranks.device).unsqueeze(-1)
        columns = torch.arange(num_moves, device=ranks.device)
        moved = self.transitions[(rows, columns, *windows)]
        return emitted.masked_fill(~self.mask, 0.0).sum(-1) + (moved * self.mask[:, 1:]).sum(-1)

    def marginals(self) -> torch.Tensor:
        of_candidates = self._marginals_of_candidates()
        of_states = of_candidates.new_zeros(*self.mask.shape, self.num_states)
        return of_states.scatter_add(-1, self.candidates.states, of_candidates)

    @torch.no_grad()
    def _marginals_of_candidates(self) -> torch.Tensor:
        """
        Shape (batch_size, length, num_candidates). Forward and backward, by sums of products: the few candidates of all
        positions fit in memory at once, so that this is several times as fast as the gradient, which is taken where a
        sum is too small: where what comes before contradicts what comes after.
        """
        start, moves = _exp(self._start(), 1), _exp(self._moves_of_candidates(), 2)
        ends = *self.mask.shape, *[1] * (self.order - 1), -1
        emissions = _exp(self.emissions, 2).view(ends)
        masks = self.mask.view(*self.mask.shape, *[1] * self.order)
        steps = [
            *zip(*(each.unbind(1) for each in (masks[:, 1:], moves, emissions[:, 1:])), strict=True)
        ]
        forward, backward, sums = [start], [torch.ones_like(start)], []
        for mask, move, emission in steps:
            after = torch.einsum("bi...,bi...k->b...k", forward[-1], move) * emission
            after, total = _normalized(after, 1)
            forward.append(torch.where(mask, after, forward[-1]))
            sums.append(total)
        for mask, move, emission in reversed(steps):
            before = torch.einsum("b...k,bi...k->bi...", backward[-1] * emission, move)
            before, total = _normalized(before, 1)
            backward.append(torch.where(mask, before, backward[-1]))
            sums.append(total)
        both, total = _normalized(torch.stack(forward, 1) * torch.stack(backward[::-1], 1), 2)
        # Where a sum was zero, it is no number.
        if not float(torch.cat([*sums, total.flatten()]).amin()) >= _SMALLEST_SUM:
            return super().marginals()
        # Of the last states alone.
        marginals = both.view(*self.mask.shape, -1, both.size(-1)).sum(2)
        is_possible = (self.emissions > RULED_OUT) & self.mask.unsqueeze(-1)
        return marginals * is_possible

    def _moves_of_candidates(self) -> torch.Tensor:
        """`transitions`, those from and to what is no candidate ruled out."""
        is_candidate = functional.pad(self.candidates.is_candidate, (0, 0, self.order - 1, 0))
        # Before the sequence there is candidate 0 alone.
        is_candidate[:, : self.order - 1, 0] = True
        excluded = torch.where(is_candidate, 0.0, RULED_OUT).to(self.emissions)
        moves = self.transitions
        for lag in range(self.order + 1):
            window = excluded[:, lag : lag + moves.size(1)]
            along = [1] * (self.order + 1)
            along[lag] = window.size(2)
            moves = moves + window.reshape(*window.shape[:2], *along)
        return moves

    def viterbi(self) -> torch.LongTensor:
        return self._states(super().viterbi())

    def sample(self) -> torch.LongTensor:
        return self._states(super().sample())

    def k_best(self, k: int, variants: Optional[Variants] = None) -> List[List[Path]]:
        states = self.candidates.states.cpu().numpy()

        def of_candidates(row: int, position: int) -> numpy.ndarray:
            assert variants is not None
            return variants(row, position)[states[row, position]]

        found = super().k_best(k, variants and of_candidates)
        return [
            [
                path._replace(states=[int(states[row, n, c]) for n, c in enumerate(path.states)])
                for path in paths
            ]
            for row, paths in enumerate(found)
        ]

    def _states(self, ranks: torch.LongTensor) -> torch.LongTensor:
        return self.candidates.states.gather(-1, ranks.unsqueeze(-1)).squeeze(-1)

    def _start(self) -> torch.Tensor:
        alpha = self.emissions[:, 0]
        for _ in range(self.order - 1):
            others = (0, 0) * (alpha.dim() - 1) + (0, self.emissions.size(-1) - 1)
            alpha = functional.pad(alpha.unsqueeze(1), others, value=RULED_OUT)
        return alpha

    def _step(self, semiring: Semiring) -> Step:
        emissions, transitions = self.emissions.unbind(1), self.transitions.unbind(1)

        def step(position: int, alpha: torch.Tensor) -> torch.Tensor:
            arrived = semiring(alpha.unsqueeze(-1) + transitions[position - 1], 1)
            emission = emissions[position]
            return arrived + emission.view(len(emission), *[1] * (self.order - 1), -1)

        return step

    def _into(self, position: int, states: States) -> torch.Tensor:
        rows = torch.arange(len(self.mask), device=self.mask.device)
        return self.transitions[:, position - 1][(rows, slice(None), *states)]

    def _arrivals(self) -> Callable[..., numpy.ndarray]:
        emissions, transitions = self.emissions.cpu().numpy(), self.transitions.cpu().numpy()
        return lambda row, position, states: (
            transitions[(row, position - 1, slice(None), *states)]
            + emissions[row, position, states[-1]]
        )


def _exp(scores: torch.Tensor, first_dim: int) -> torch.Tensor:
    """So that the greatest of those along this dimension and the following is 1."""
    greatest = scores.flatten(first_dim).amax(-1)
    below = scores - greatest.view(*greatest.shape, *[1] * (scores.dim() - first_dim))
    return below.clamp_(min=_LEAST).exp_()


def _normalized(weights: torch.Tensor, first_dim: int) -> Tuple[torch.Tensor, torch.Tensor]:
    """So that those along this dimension and the following sum to one, and what they summed to."""
    total = weights.flatten(first_dim).sum(-1)
    return weights / total.view(*total.shape, *[1] * (weights.dim() - first_dim)), total
