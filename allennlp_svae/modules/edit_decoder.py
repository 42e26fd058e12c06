"""
The recurrent part of an edit transducer: scores the next action from the actions so far, the encoded
lemma at the pointer and the tag.

    h_t = GRU(h_{t-1}, [e(a_{t-1}); m_{i_t}; Σ_k v_k])
    c_t = Σ_k softmax_k(h_t W v_k) v_k
    s_t = U tanh(A h_t + B m_{i_t} + C c_t)

The tag enters as a set of part vectors v_k, twice: summed, and by attention, which lets each stretch of
the form look at the part that it expresses, so that combinations never seen are composed from parts that were.
"""

from typing import NamedTuple, Tuple

import torch
from allennlp.common import FromParams
from allennlp.modules.matrix_attention import MatrixAttention
from allennlp.nn.util import masked_softmax, weighted_sum

from allennlp_svae.modules.byte_dropout import ByteDropout


class Prepared(NamedTuple):
    """What single steps need of lemmas and tags, multiplied out beforehand: steps are many, lemmas few."""

    action_gates: torch.Tensor  # (num_actions, 3 * hidden_size)
    memory: torch.Tensor  # (batch_size, lemma_length, 4 * hidden_size), gates and B m_i
    tag_gates: torch.Tensor  # (batch_size, 3 * hidden_size)
    parts: torch.Tensor  # (batch_size, num_parts, tag_size)
    parts_hidden: torch.Tensor  # (batch_size, num_parts, hidden_size), C v_k
    parts_mask: torch.Tensor  # (batch_size, num_parts)


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
        self._dropout = ByteDropout(dropout)

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
    ) -> torch.Tensor:
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

        # Returns

        `torch.Tensor`
            What the scores are linear in; shape `(batch_size, steps, hidden_size)`.
        """
        beside = tag.unsqueeze(1).expand(-1, actions.size(1), -1)
        inputs = torch.cat([actions, memory, beside], dim=-1)
        states, _ = self._recurrence(inputs)
        states = self._dropout(states)
        # shape: (batch_size, steps, num_parts)
        weights = self._weights(states, parts, parts_mask)
        context = self._dropout(weighted_sum(parts, weights))
        hidden = self._of_state(states) + self._of_memory(memory) + self._of_tag(context)
        return self._dropout(torch.tanh(hidden))

    def _weights(
        self, states: torch.Tensor, parts: torch.Tensor, parts_mask: torch.Tensor
    ) -> torch.Tensor:
        # AllenNLP's other way takes the score of padding as zero: weights would depend on it where scores are low.
        return masked_softmax(
            self._attention(states, parts), parts_mask.unsqueeze(1), memory_efficient=True
        )

    def prepare(
        self,
        actions: torch.Tensor,
        memory: torch.Tensor,
        tag: torch.Tensor,
        parts: torch.Tensor,
        parts_mask: torch.Tensor,
    ) -> Prepared:
        """
        # Parameters

        actions : `torch.Tensor`
            All embedded actions; shape `(num_actions, action_size)`.
        memory : `torch.Tensor`
            All encoded characters; shape `(batch_size, lemma_length, memory_size)`.
        tag, parts, parts_mask : `torch.Tensor`
            As for `forward`.
        """
        sizes = [actions.size(-1), memory.size(-1), tag.size(-1)]
        of_action, of_memory, of_tag = self._recurrence.weight_ih_l0.split(sizes, dim=1)
        from_memory = torch.cat([of_memory, self._of_memory.weight])
        return Prepared(
            action_gates=actions @ of_action.T,
            memory=memory @ from_memory.T,
            tag_gates=torch.addmm(self._recurrence.bias_ih_l0, tag, of_tag.T),
            parts=parts,
            parts_hidden=self._of_tag(parts),
            parts_mask=parts_mask,
        )

    def step(
        self,
        prepared: Prepared,
        rows: torch.Tensor,
        actions: torch.Tensor,
        pointers: torch.Tensor,
        state: torch.Tensor,
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        """
        What `forward` computes for one step, without dropout, in a fraction of the time.

        # Parameters

        prepared : `Prepared`
        rows, actions, pointers : `torch.Tensor`
            Of each hypothesis the row of its lemma, the number of the action before and the place of the pointer;
            shape `(group_size,)`.
        state : `torch.Tensor`
            Shape `(group_size, hidden_size)`.

        # Returns

        `Tuple[torch.Tensor, torch.Tensor]`
            What the scores are linear in, and the state after the step; shapes `(group_size, hidden_size)`.
        """
        # Rows are taken by `index_select`: on a CPU, indexing would take as long as all else together.
        size = self._recurrence.hidden_size
        places = rows * prepared.memory.size(1) + pointers
        memory = prepared.memory.flatten(0, 1).index_select(0, places)
        gates_of_memory, of_memory = memory.split([3 * size, size], dim=1)
        given = prepared.action_gates.index_select(0, actions) + gates_of_memory
        given = given + prepared.tag_gates.index_select(0, rows)
        own = torch.addmm(self._recurrence.bias_hh_l0, state, self._recurrence.weight_hh_l0.T)
        given_gates, given_new = given.split([2 * size, size], dim=1)
        own_gates, own_new = own.split([2 * size, size], dim=1)
        reset, update = torch.sigmoid(given_gates + own_gates).chunk(2, dim=1)
        new = torch.tanh(given_new + reset * own_new)
        state = torch.lerp(new, state, update)
        weights = self._weights(
            state.unsqueeze(1),
            prepared.parts.index_select(0, rows),
            prepared.parts_mask.index_select(0, rows),
        )
        # The part vectors enter the scores linearly: C Σ_k w_k v_k = Σ_k w_k C v_k.
        context = torch.bmm(weights, prepared.parts_hidden.index_select(0, rows)).squeeze(1)
        return torch.tanh(self._of_state(state) + of_memory + context), state
