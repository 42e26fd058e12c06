"""
What is asked of a chain CRF of any order k, a distribution over sequences of states y given scores:

    p(y) ∝ exp( Σ_n emissions[n, y_n] + Σ_n transitions[y_{n-k}, ..., y_n] )

Everything comes from one forward recursion, run in the log semiring (sums over paths) or the max
semiring (best path), and one backward trace, which takes at each step the best state or draws one.
Marginals are the gradient of the log-partition.
"""

import copy
from functools import partial
from typing import Callable, List, Optional, Tuple, TypeVar

import numpy
import torch

from allennlp_svae.modules.path_search import Path, search_paths

# How the scores of alternatives add up along a dimension; those of a path's steps are summed.
Semiring = Callable[[torch.Tensor, int], torch.Tensor]
# From a position and the scores of all sequences before it to those of all sequences up to it.
Step = Callable[[int, torch.Tensor], torch.Tensor]
Choose = Callable[[torch.Tensor], torch.Tensor]
# The last k states of each sequence of a batch, each of shape (batch_size,).
States = Tuple[torch.Tensor, ...]
Variants = Callable[[int, int], numpy.ndarray]
Self = TypeVar("Self", bound="ChainCRF")


def log_semiring(scores: torch.Tensor, dim: int) -> torch.Tensor:
    return scores.logsumexp(dim)


def max_semiring(scores: torch.Tensor, dim: int) -> torch.Tensor:
    return scores.amax(dim)


def add_boundaries(
    emissions: torch.Tensor,
    mask: torch.BoolTensor,
    initial: Optional[torch.Tensor] = None,
    final: Optional[torch.Tensor] = None,
) -> torch.Tensor:
    """The emissions with `initial` added at the first and `final` at the last of each sequence."""
    positions = torch.arange(mask.size(1), device=mask.device)
    if initial is not None:
        emissions = emissions + (positions == 0).unsqueeze(-1) * initial
    if final is not None:
        is_last = positions == mask.sum(dim=1, keepdim=True) - 1
        emissions = emissions + is_last.unsqueeze(-1) * final
    return emissions


class ChainCRF:
    """
    # Parameters

    emissions : `torch.Tensor`
        Shape (batch_size, length, num_states).
    transitions : `torch.Tensor`
        Of the shape that the subclass asks for.
    mask : `torch.BoolTensor`
        False on padding, which is on the right; shape (batch_size, length).
    """

    def __init__(
        self, emissions: torch.Tensor, transitions: torch.Tensor, mask: torch.BoolTensor
    ) -> None:
        self.emissions = emissions
        self.transitions = transitions
        self.mask = mask

    def log_partition(self) -> torch.Tensor:
        """The log of the sum over all sequences; shape (batch_size,)."""
        return self._forward(log_semiring)[-1].flatten(1).logsumexp(dim=-1)

    def path_score(self, states: torch.LongTensor) -> torch.Tensor:
        """The unnormalised score of sequences of shape (batch_size, length); shape (batch_size,)."""
        raise NotImplementedError

    def log_prob(self, states: torch.LongTensor) -> torch.Tensor:
        """log p(y) of sequences of shape (batch_size, length); shape (batch_size,)."""
        return self.path_score(states) - self.log_partition()

    def marginals(self) -> torch.Tensor:
        """p(y_n = state), zero on padding; shape (batch_size, length, num_states)."""
        with torch.enable_grad():
            crf = self._detached()
            crf.emissions.requires_grad_()
            (marginals,) = torch.autograd.grad(crf.log_partition().sum(), crf.emissions)
        return marginals

    def viterbi(self) -> torch.LongTensor:
        """The best sequences, any state on padding; shape (batch_size, length)."""
        return self._trace(self._forward(max_semiring), _best)

    def sample(self) -> torch.LongTensor:
        """
        Sequences drawn exactly, by forward filtering and backward sampling with torch's global
        generator, any state on padding; shape (batch_size, length).
        """
        return self._trace(self._forward(log_semiring), _draw)

    def k_best(self, k: int, variants: Optional[Variants] = None) -> List[List[Path]]:
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
        exact = self._detached(torch.double)
        alphas = torch.stack(exact._forward(max_semiring)).cpu().numpy()
        arrivals = exact._arrivals()
        return [
            search_paths(
                alphas[:length, row],
                partial(arrivals, row),
                k,
                variants and partial(variants, row),
            )
            for row, length in enumerate(self.mask.sum(dim=1).tolist())
        ]

    def _start(self) -> torch.Tensor:
        """Scores at the first position; shape (batch_size, num_states, ..., num_states), k times."""
        raise NotImplementedError

    def _step(self, semiring: Semiring) -> Step:
        raise NotImplementedError

    def _into(self, position: int, states: States) -> torch.Tensor:
        """The scores of moves into the last k states from each one before; shape (batch_size, num_states)."""
        raise NotImplementedError

    def _arrivals(self) -> Callable[..., numpy.ndarray]:
        """`Arrivals` of each index into the batch, which is their first argument."""
        raise NotImplementedError

    def _detached(self: Self, dtype: Optional[torch.dtype] = None) -> Self:
        crf = copy.copy(self)
        crf.emissions = self.emissions.detach().to(dtype)
        crf.transitions = self.transitions.detach().to(dtype)
        return crf

    def _forward(self, semiring: Semiring) -> List[torch.Tensor]:
        """
        For each position the scores of all sequences up to it by their last k states, each of shape
        (batch_size, num_states, ..., num_states). A finished sequence keeps its last scores.
        """
        alpha = self._start()
        step = self._step(semiring)
        alphas = [alpha]
        for position, mask in enumerate(self.mask.unbind(1)[1:], start=1):
            alpha = torch.where(_like(mask, alpha), step(position, alpha), alpha)
            alphas.append(alpha)
        return alphas

    def _trace(self, alphas: List[torch.Tensor], choose: Choose) -> torch.LongTensor:
        last = choose(alphas[-1].flatten(1))
        rows = torch.arange(len(last), device=last.device)
        states = torch.unravel_index(last, alphas[-1].shape[1:])
        path = [states[-1]]
        for position in range(len(alphas) - 1, 0, -1):
            before = alphas[position - 1][(rows, slice(None), *states[:-1])]
            earliest = choose(before + self._into(position, states))
            mask = self.mask[:, position]
            states = tuple(
                torch.where(mask, shifted, state)
                for shifted, state in zip((earliest, *states[:-1]), states, strict=True)
            )
            path.append(states[-1])
        return torch.stack(path[::-1], dim=1)


def _like(mask: torch.Tensor, alpha: torch.Tensor) -> torch.Tensor:
    return mask.view(-1, *[1] * (alpha.dim() - 1))


def _best(scores: torch.Tensor) -> torch.Tensor:
    return scores.argmax(dim=-1)


def _draw(scores: torch.Tensor) -> torch.Tensor:
    return torch.distributions.Categorical(logits=scores, validate_args=False).sample()
