"""
A recurrent decoder with the attention of Luong et al. (2015), without input feeding:

    h_j = GRU(h_{j-1}, e(f_{j-1}))
    a_j = softmax_s score(h_j, m_s),   c_j = Σ_s a_js m_s
    h̃_j = tanh(W [c_j ; h_j])

Since h does not depend on h̃, all of a known output runs as one fused recurrence and one batched
attention.
"""

from typing import Tuple

import torch
from allennlp.common import FromParams
from allennlp.modules.matrix_attention import MatrixAttention
from allennlp.nn.util import masked_softmax, weighted_sum


class AttentionDecoder(torch.nn.Module, FromParams):
    """
    # Parameters

    input_size : `int`
        Size of an embedded output symbol.
    memory_size : `int`
        Size of an encoded source symbol.
    hidden_size : `int`
        Size of the recurrent state h and of the attentional state h̃.
    attention : `MatrixAttention`
        The score; `bilinear` of `hidden_size` by `memory_size` is Luong's multiplicative attention.
    num_layers : `int`, optional (default = `1`)
    dropout : `float`, optional (default = `0.0`)
        Applied to h̃, and between layers.
    """

    def __init__(
        self,
        input_size: int,
        memory_size: int,
        hidden_size: int,
        attention: MatrixAttention,
        num_layers: int = 1,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self._num_layers = num_layers
        self._attention = attention
        self._initial = torch.nn.Linear(memory_size, num_layers * hidden_size)
        self._recurrence = torch.nn.GRU(
            input_size,
            hidden_size,
            num_layers,
            batch_first=True,
            dropout=dropout if num_layers > 1 else 0.0,
        )
        self._combine = torch.nn.Linear(memory_size + hidden_size, hidden_size)
        self._dropout = torch.nn.Dropout(dropout)

    def get_output_dim(self) -> int:
        return self._combine.out_features

    def get_input_dim(self) -> int:
        return self._recurrence.input_size

    def initial_state(self, summary: torch.Tensor) -> torch.Tensor:
        """
        The state before the first symbol.

        # Parameters

        summary : `torch.Tensor`
            The whole source in one vector; shape `(batch_size, memory_size)`.

        # Returns

        `torch.Tensor`
            Shape `(batch_size, num_layers, hidden_size)`: the batch comes first, as in a beam
            search's state.
        """
        return torch.tanh(self._initial(summary)).view(summary.size(0), self._num_layers, -1)

    def recur(self, inputs: torch.Tensor, state: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        """
        # Parameters

        inputs : `torch.Tensor`
            Embedded symbols; shape `(batch_size, length, input_size)`.
        state : `torch.Tensor`
            Shape `(batch_size, num_layers, hidden_size)`.

        # Returns

        `Tuple[torch.Tensor, torch.Tensor]`
            The states h of the top layer, shape `(batch_size, length, hidden_size)`, and the state
            after them.
        """
        states, last = self._recurrence(inputs, state.transpose(0, 1).contiguous())
        return states, last.transpose(0, 1)

    def attend(
        self, states: torch.Tensor, memory: torch.Tensor, memory_mask: torch.Tensor
    ) -> torch.Tensor:
        """The attentional states of `attend_and_point` alone."""
        return self.attend_and_point(states, memory, memory_mask)[0]

    def attend_and_point(
        self, states: torch.Tensor, memory: torch.Tensor, memory_mask: torch.Tensor
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        """
        # Parameters

        states : `torch.Tensor`
            Any number of states h for each source, steps in time or hypotheses in a beam; shape
            `(batch_size, count, hidden_size)`.
        memory : `torch.Tensor`
            The encoded source; shape `(batch_size, source_length, memory_size)`.
        memory_mask : `torch.BoolTensor`
            Shape `(batch_size, source_length)`.

        # Returns

        `Tuple[torch.Tensor, torch.Tensor]`
            The attentional states h̃, shape `(batch_size, count, hidden_size)`, and the attention weights, shape
            `(batch_size, count, source_length)`.
        """
        # AllenNLP's other way takes the score of padding as zero: weights would depend on it where scores are low.
        attention = masked_softmax(
            self._attention(states, memory), memory_mask.unsqueeze(1), memory_efficient=True
        )
        context = weighted_sum(memory, attention)
        combined = torch.tanh(self._combine(torch.cat([context, states], dim=-1)))
        return self._dropout(combined), attention
