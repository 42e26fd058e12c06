"""
An attention decoder that also points: the weights a_j with which it reads the source say which place to
copy from (See et al., 2017).
"""

from typing import Tuple

import torch
from allennlp.nn.util import masked_softmax, weighted_sum

from allennlp_svae.modules.attention_decoder import AttentionDecoder


class PointerDecoder(AttentionDecoder):
    """
    # Parameters

    input_size, memory_size, hidden_size, attention, num_layers, dropout
        See `AttentionDecoder`.
    """

    def get_input_dim(self) -> int:
        return self._recurrence.input_size

    def attend_and_point(
        self, states: torch.Tensor, memory: torch.Tensor, memory_mask: torch.Tensor
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        """
        # Parameters

        states, memory, memory_mask
            As in `attend`.

        # Returns

        `Tuple[torch.Tensor, torch.Tensor]`
            The attentional states h̃, shape `(batch_size, count, hidden_size)`, and the weights a, shape
            `(batch_size, count, source_length)`.
        """
        # Weights that are probabilities have to sum to one however low the scores are. They do not by
        # AllenNLP's other way, which adds a little to the sum and takes the score of padding as zero.
        attention = masked_softmax(
            self._attention(states, memory), memory_mask.unsqueeze(1), memory_efficient=True
        )
        context = weighted_sum(memory, attention)
        combined = torch.tanh(self._combine(torch.cat([context, states], dim=-1)))
        return self._dropout(combined), attention

    def attend(
        self, states: torch.Tensor, memory: torch.Tensor, memory_mask: torch.Tensor
    ) -> torch.Tensor:
        return self.attend_and_point(states, memory, memory_mask)[0]
