"""The linear-chain CRF over all states, with the same transitions everywhere."""

from typing import Callable, Optional

import numpy
import torch

from allennlp_svae.modules.chain_crf import (
    ChainCRF,
    Semiring,
    States,
    Step,
    add_boundaries,
    log_semiring,
)

# Times the smallest normal number: a sum above that has lost nothing that matters to underflow.
_UNDERFLOW_MARGIN = 1e8


class LinearChainCRF(ChainCRF):
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
        super().__init__(add_boundaries(emissions, mask, initial, final), transitions, mask)

    def path_score(self, states: torch.LongTensor) -> torch.Tensor:
        emitted = self.emissions.gather(-1, states.unsqueeze(-1)).squeeze(-1)
        moved = self.transitions[states[:, :-1], states[:, 1:]]
        return emitted.masked_fill(~self.mask, 0.0).sum(-1) + (moved * self.mask[:, 1:]).sum(-1)

    def _start(self) -> torch.Tensor:
        return self.emissions[:, 0]

    def _step(self, semiring: Semiring) -> Step:
        emissions = self.emissions.unbind(1)
        if semiring is log_semiring:
            combine = self._log_combine()
            return lambda position, alpha: combine(alpha) + emissions[position]
        return lambda position, alpha: (
            semiring(alpha.unsqueeze(-1) + self.transitions, -2) + emissions[position]
        )

    def _log_combine(self) -> Callable[[torch.Tensor], torch.Tensor]:
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
                return log_semiring(alpha.unsqueeze(-1) + self.transitions, -2)
            return product.log() + (peak + peaks)

        return combine

    def _into(self, position: int, states: States) -> torch.Tensor:
        return self.transitions.t()[states[-1]]

    def _arrivals(self) -> Callable[..., numpy.ndarray]:
        emissions, transitions = self.emissions.cpu().numpy(), self.transitions.cpu().numpy()
        return lambda row, position, states: (
            transitions[:, states[-1]] + emissions[row, position, states[-1]]
        )
