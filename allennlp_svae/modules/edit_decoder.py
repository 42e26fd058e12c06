"""
The recurrent part of an edit transducer: scores the next action from the actions so far, the encoded
lemma at the pointer and the tag.

    h_t = GRU(h_{t-1}, [e(a_{t-1}); m_{i_t}; Σ_k v_k])
    c_t = Σ_k softmax_k(h_t W v_k) v_k
    s_t = U tanh(A h_t + B m_{i_t} + C c_t)

The tag enters as a set of part vectors v_k, twice: summed, and by attention, which lets each stretch of
the form look at the part that it expresses, so that combinations never seen are composed from parts that were.
"""

from typing import Optional, Tuple

import torch
from allennlp.common import FromParams
from allennlp.modules.matrix_attention import MatrixAttention
from allennlp.nn.util import masked_softmax, weighted_sum


class EditDecoder(torch.nn.Module, FromParams):
    """
    # Parameters

    action_size : `int`
        Size of an embedded action.
    memory_size : `int`
        Size of an encoded character.
    tag_size : `int`
        Size of an embedded part of a tag.
    hidden_size : `int`
    attention : `MatrixAttention`
        Of states (`hidden_size`) to parts (`tag_size`).
    dropout : `float`, optional (default = `0.0`)
        Applied to h and to the hidden layer of the scores.
    """

    def __init__(
        self,
        action_size: int,
        memory_size: int,
        tag_size: int,
        hidden_size: int,
        attention: MatrixAttention,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self._recurrence = torch.nn.GRU(
            action_size + memory_size + tag_size, hidden_size, batch_first=True
        )
        self._attention = attention
        self._of_state = torch.nn.Linear(hidden_size, hidden_size)
        self._of_memory = torch.nn.Linear(memory_size, hidden_size, bias=False)
        self._of_tag = torch.nn.Linear(tag_size, hidden_size, bias=False)
        self._dropout = torch.nn.Dropout(dropout)

    def get_output_dim(self) -> int:
        return self._of_state.out_features

    def initial_state(self, batch_size: int) -> torch.Tensor:
        """Zero; shape `(batch_size, hidden_size)`."""
        return self._of_state.weight.new_zeros(batch_size, self._recurrence.hidden_size)

    def forward(
        self,
        actions: torch.Tensor,
        memory: torch.Tensor,
        tag: torch.Tensor,
        parts: torch.Tensor,
        parts_mask: torch.Tensor,
        state: Optional[torch.Tensor] = None,
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        """
        # Parameters

        actions : `torch.Tensor`
            The embedded action before each step; shape `(batch_size, steps, action_size)`.
        memory : `torch.Tensor`
            The encoded character at the pointer in each step; shape `(batch_size, steps, memory_size)`.
        tag : `torch.Tensor`
            The sum of the tag's embedded parts; shape `(batch_size, tag_size)`.
        parts : `torch.Tensor`
            The embedded parts of the tag, zero where there is none; shape `(batch_size, num_parts,
            tag_size)`.
        parts_mask : `torch.BoolTensor`
            Shape `(batch_size, num_parts)`.
        state : `torch.Tensor`, optional (default = the initial state)
            Shape `(batch_size, hidden_size)`.

        # Returns

        `Tuple[torch.Tensor, torch.Tensor]`
            What the scores are linear in, shape `(batch_size, steps, hidden_size)`, and the state after
            the last step.
        """
        if state is None:
            state = self.initial_state(actions.size(0))
        beside = tag.unsqueeze(1).expand(-1, actions.size(1), -1)
        inputs = torch.cat([actions, memory, beside], dim=-1)
        states, last = self._recurrence(inputs, state.unsqueeze(0).contiguous())
        states = self._dropout(states)
        # shape: (batch_size, steps, num_parts)
        weights = masked_softmax(self._attention(states, parts), parts_mask.unsqueeze(1))
        context = self._dropout(weighted_sum(parts, weights))
        hidden = self._of_state(states) + self._of_memory(memory) + self._of_tag(context)
        return self._dropout(torch.tanh(hidden)), last.squeeze(0)
