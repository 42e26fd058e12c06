"""
The chain CRF of order k over lists of candidates, a few states for each position. Its recursion costs
length · num_candidates^(k+1), whatever the number of states.
"""

from typing import Callable, List, Optional

import numpy
import torch
from torch.nn import functional

from allennlp_svae.modules.candidate_pruning import CandidateStates
from allennlp_svae.modules.chain_crf import ChainCRF, Semiring, States, Step, Variants
from allennlp_svae.modules.path_search import RULED_OUT, Path


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
        of_candidates = super().marginals()
        of_states = of_candidates.new_zeros(*self.mask.shape, self.num_states)
        return of_states.scatter_add(-1, self.candidates.states, of_candidates)

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
