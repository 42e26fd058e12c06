"""
The linear-chain CRF, a distribution over sequences of states y given scores:

    p(y) ∝ exp( Σ_n emissions[n, y_n] + Σ_n transitions[y_{n-1}, y_n] )

Everything asked of it comes from one forward recursion, run in the log semiring (sums over paths) or
the max semiring (best path), and one backward trace, which takes at each step the best state or draws
one. Marginals are the gradient of the log-partition.
"""

import heapq
import itertools
from functools import partial
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

import numpy
import torch

Combine = Callable[[torch.Tensor], torch.Tensor]
Choose = Callable[[torch.Tensor], torch.Tensor]
# Times the smallest normal number: a sum above that has lost nothing that matters to underflow.
_UNDERFLOW_MARGIN = 1e8


class Path(NamedTuple):
    """A sequence of states, which variant of each, and the unnormalised score of both."""

    states: List[int]
    variants: List[int]
    score: float


class LinearChainCRF:
    """
    # Parameters

    emissions : `torch.Tensor`
        Scores of each state at each position; -inf rules a state out, but not all of a position;
        shape (batch_size, length, num_states).
    transitions : `torch.Tensor`
        Finite scores from row to column; shape (num_states, num_states).
    mask : `torch.BoolTensor`
        False on padding, which is on the right; shape (batch_size, length).
    initial, final : `torch.Tensor`, optional (default = `None`)
        Scores added at the first and the last position of each sequence; shape (num_states,).
    """

    def __init__(
        self,
        emissions: torch.Tensor,
        transitions: torch.Tensor,
        mask: torch.BoolTensor,
        initial: Optional[torch.Tensor] = None,
        final: Optional[torch.Tensor] = None,
    ) -> None:
        positions = torch.arange(mask.size(1), device=mask.device)
        if initial is not None:
            emissions = emissions + (positions == 0).unsqueeze(-1) * initial
        if final is not None:
            is_last = positions == mask.sum(dim=1, keepdim=True) - 1
            emissions = emissions + is_last.unsqueeze(-1) * final
        self.emissions = emissions
        self.transitions = transitions
        self.mask = mask

    def log_partition(self) -> torch.Tensor:
        """The log of the sum over all sequences; shape (batch_size,)."""
        return self._forward(self._log_combine())[-1].logsumexp(dim=-1)

    def path_score(self, states: torch.LongTensor) -> torch.Tensor:
        """The unnormalised score of sequences of shape (batch_size, length); shape (batch_size,)."""
        emitted = self.emissions.gather(-1, states.unsqueeze(-1)).squeeze(-1)
        moved = self.transitions[states[:, :-1], states[:, 1:]]
        return emitted.masked_fill(~self.mask, 0.0).sum(-1) + (moved * self.mask[:, 1:]).sum(-1)

    def log_prob(self, states: torch.LongTensor) -> torch.Tensor:
        """log p(y) of sequences of shape (batch_size, length); shape (batch_size,)."""
        return self.path_score(states) - self.log_partition()

    def marginals(self) -> torch.Tensor:
        """p(y_n = state), zero on padding; shape (batch_size, length, num_states)."""
        with torch.enable_grad():
            emissions = self.emissions.detach().requires_grad_()
            crf = LinearChainCRF(emissions, self.transitions.detach(), self.mask)
            (marginals,) = torch.autograd.grad(crf.log_partition().sum(), emissions)
        return marginals

    def viterbi(self) -> torch.LongTensor:
        """The best sequences, any state on padding; shape (batch_size, length)."""
        return self._trace(self._forward(self._max_combine), _best)

    def sample(self) -> torch.LongTensor:
        """
        Sequences drawn exactly, by forward filtering and backward sampling with torch's global
        generator, any state on padding; shape (batch_size, length).
        """
        return self._trace(self._forward(self._log_combine()), _draw)

    def k_best(
        self, k: int, variants: Optional[Callable[[int, int], numpy.ndarray]] = None
    ) -> List[List[Path]]:
        """
        For each sequence of the batch its `k` best distinct paths, best first: an A* search from the
        right, for which the forward recursion in the max semiring is a perfect heuristic.

        # Parameters

        k : `int`
        variants : `Callable[[int, int], numpy.ndarray]`, optional (default = `None`)
            For an index into the batch and a position, the scores (at most 0, the best of each state 0)
            of alternatives within each state, which make paths distinct; shape (num_states, num_variants).
        """
        # In double precision, so that scores pieced together from both directions agree.
        exact = LinearChainCRF(
            self.emissions.detach().double(), self.transitions.detach().double(), self.mask
        )
        alphas = torch.stack(exact._forward(exact._max_combine)).cpu().numpy()
        emissions = exact.emissions.cpu().numpy()
        transitions = exact.transitions.cpu().numpy()
        return [
            _search(
                alphas[:length, row],
                emissions[row],
                transitions,
                k,
                variants and partial(variants, row),
            )
            for row, length in enumerate(self.mask.sum(dim=1).tolist())
        ]

    def _forward(self, combine: Combine) -> List[torch.Tensor]:
        """
        For each position the scores of all sequences up to it by their last state, each of shape
        (batch_size, num_states). A finished sequence keeps its last scores.
        """
        alpha = self.emissions[:, 0]
        alphas = [alpha]
        later = zip(
            self.emissions.unbind(1)[1:], self.mask.unsqueeze(-1).unbind(1)[1:], strict=True
        )
        for emission, mask in later:
            alpha = torch.where(mask, combine(alpha) + emission, alpha)
            alphas.append(alpha)
        return alphas

    def _max_combine(self, alpha: torch.Tensor) -> torch.Tensor:
        return (alpha.unsqueeze(-1) + self.transitions).amax(dim=-2)

    def _log_combine(self) -> Combine:
        """
        log Σ_i exp(alpha_i + transitions_ij) as a product of matrices, the largest score of each factor
        taken out. Where that still underflows, the sum is done again in the log domain.
        """
        peaks = self.transitions.detach().amax(dim=0)
        weights = (self.transitions - peaks).exp()
        smallest = torch.finfo(weights.dtype).tiny * _UNDERFLOW_MARGIN

        def combine(alpha: torch.Tensor) -> torch.Tensor:
            peak = alpha.detach().amax(dim=-1, keepdim=True)
            product = (alpha - peak).exp() @ weights
            if bool((product < smallest).any()):
                return (alpha.unsqueeze(-1) + self.transitions).logsumexp(dim=-2)
            return product.log() + (peak + peaks)

        return combine

    def _trace(self, alphas: List[torch.Tensor], choose: Choose) -> torch.LongTensor:
        state = choose(alphas[-1])
        states = [state]
        into = self.transitions.t()
        for alpha, mask in zip(alphas[-2::-1], self.mask.unbind(1)[:0:-1], strict=True):
            state = torch.where(mask, choose(alpha + into[state]), state)
            states.append(state)
        return torch.stack(states[::-1], dim=1)


def _best(scores: torch.Tensor) -> torch.Tensor:
    return scores.argmax(dim=-1)


def _draw(scores: torch.Tensor) -> torch.Tensor:
    return torch.distributions.Categorical(logits=scores, validate_args=False).sample()


def _search(
    alphas: numpy.ndarray,
    emissions: numpy.ndarray,
    transitions: numpy.ndarray,
    k: int,
    variants: Optional[Callable[[int], numpy.ndarray]],
) -> List[Path]:
    """`alphas`: the best score up to each position by last state; shape (length, num_states)."""
    # Entries: minus the score of the best completion, a tie-breaker, the position of the leftmost
    # choice, the score of that state and of all that is right of it, and the choices as a linked list.
    queue: List[Tuple[float, int, int, float, Any]] = []
    order = itertools.count()

    def extend(position: int, scores: numpy.ndarray, chosen: Any) -> None:
        """Queues the `k` best choices of a state and variant; `scores` has the best completion by state."""
        offsets = numpy.zeros((len(scores), 1)) if variants is None else variants(position)
        totals = (scores[:, None] + offsets).ravel()
        count = min(k, totals.size)
        for choice in numpy.argpartition(-totals, count - 1)[:count].tolist():
            total = float(totals[choice])
            if total > -numpy.inf:
                state, variant = divmod(choice, offsets.shape[1])
                rest = total - float(alphas[position, state] - emissions[position, state])
                entry = (-total, next(order), position, rest, (state, variant, chosen))
                heapq.heappush(queue, entry)

    paths: List[Path] = []
    extend(len(alphas) - 1, alphas[-1], None)
    while queue and len(paths) < k:
        negated, _, position, rest, chosen = heapq.heappop(queue)
        if position > 0:
            extend(position - 1, alphas[position - 1] + transitions[:, chosen[0]] + rest, chosen)
            continue
        states, ranks = [], []
        while chosen is not None:
            state, rank, chosen = chosen
            states.append(state)
            ranks.append(rank)
        paths.append(Path(states, ranks, -negated))
    return paths
