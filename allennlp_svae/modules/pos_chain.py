"""The coarsest order of a CRF over tags: parts of speech in a chain, the rest of a tag by itself."""

from typing import Optional

import torch
from torch.nn import functional

from allennlp_svae.modules.candidate_pruning import prune
from allennlp_svae.modules.linear_chain_crf import LinearChainCRF


class PosChain:
    """
    The CRF whose transitions are those of parts of speech alone,

        p(m) ∝ exp( Σ_n emissions[n, m_n] + Σ_n transitions[pos(m_{n-1}), pos(m_n)] )

    which is a chain over parts of speech, each with its tags summed out, and a choice of each tag given its own.

    # Parameters

    emissions : `torch.Tensor`
        Scores of tags; -inf rules one out, but not all of a position; shape (batch_size, length, num_tags).
    pos : `torch.LongTensor`
        Which part of speech each tag has, from 0 on without gaps; shape (num_tags,).
    transitions : `torch.Tensor`
        Shape (num_pos, num_pos).
    mask : `torch.BoolTensor`
        False on padding, which is on the right; shape (batch_size, length).
    """

    def __init__(
        self,
        emissions: torch.Tensor,
        pos: torch.LongTensor,
        transitions: torch.Tensor,
        mask: torch.BoolTensor,
    ) -> None:
        self._emissions = emissions
        self._pos = pos
        self._mask = mask
        peak = emissions.amax(dim=-1, keepdim=True)
        of_pos = functional.one_hot(pos, len(transitions)).to(emissions.dtype)
        smallest = torch.finfo(emissions.dtype).tiny
        # Shape: (batch_size, length, num_pos)
        self._of_pos = ((emissions - peak).exp() @ of_pos).clamp(min=smallest).log() + peak
        self._chain = LinearChainCRF(self._of_pos, transitions, mask)

    def marginals(self, target: Optional[float] = None) -> torch.Tensor:
        """
        p(m_n), zero on padding; shape (batch_size, length, num_tags). With a `target` zero also for tags whose part
        of speech is none of those that `prune` leaves: `target` a token on average in each sequence.
        """
        of_pos = self._chain.marginals()
        if target is not None:
            left = prune(of_pos, self._mask, target)
            is_left = torch.zeros_like(of_pos).scatter_add(
                -1, left.states, left.is_candidate.to(of_pos.dtype)
            )
            of_pos = of_pos * is_left
        given_pos = (self._emissions - self._of_pos[..., self._pos]).exp()
        return of_pos[..., self._pos] * given_pos
