"""
The network inside an edit transducer: scores casings and edit actions from a lemma, a tag and the actions so far.
"""

from typing import NamedTuple, Optional, Tuple

import torch
from allennlp.common import FromParams
from allennlp.common.checks import check_dimensions_match
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.modules import Seq2SeqEncoder, TextFieldEmbedder
from allennlp.modules.token_embedders import Embedding
from allennlp.nn import InitializerApplicator
from allennlp.nn.util import get_text_field_mask

from allennlp_svae.data.casing import Casing
from allennlp_svae.dataset_readers.inflections import CHARACTERS
from allennlp_svae.modules.byte_dropout import ByteDropout
from allennlp_svae.modules.edit_decoder import EditDecoder, Prepared
from allennlp_svae.modules.edit_moves import Steps, action_numbers
from allennlp_svae.modules.tag_parts import embedded_parts, unknown_part

COPY_BIAS = 2.0


class Encoded(NamedTuple):
    """What a network makes of the lemmas and tags of a batch."""

    memory: torch.Tensor  # (batch_size, lemma_length + 2, memory_size), START first
    tag: torch.Tensor  # (batch_size, tag_size), the sum of its parts
    parts: torch.Tensor  # (batch_size, num_parts, tag_size), zero where there is none
    parts_mask: torch.Tensor  # (batch_size, num_parts)

    def rows(self, index: torch.Tensor) -> "Encoded":
        return Encoded(*(tensor.index_select(0, index) for tensor in self))


class EditNetwork(torch.nn.Module, FromParams):
    """
    Scores are unnormalised and know nothing of what is allowed.

    # Parameters

    vocab : `Vocabulary`
    lemma_embedder : `TextFieldEmbedder`
        Embeds the lemma's characters.
    tag_embedder : `TextFieldEmbedder`
        Embeds the tag's parts, which are taken as a set. Parts that the vocabulary lacks are ignored.
    encoder : `Seq2SeqEncoder`
        Bidirectional, over the lemma's characters, each beside the sum of the tag's parts.
    decoder : `EditDecoder`
    action_dim : `int`
        Size of an embedded action.
    dropout : `float`, optional (default = `0.0`)
        Applied to all embeddings and to the encoded lemma; the decoder has one of its own.
    initializer : `InitializerApplicator`, optional (default = `None`)
        Embeddings as wide as a standard normal learn faster than AllenNLP's own.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        lemma_embedder: TextFieldEmbedder,
        tag_embedder: TextFieldEmbedder,
        encoder: Seq2SeqEncoder,
        decoder: EditDecoder,
        action_dim: int,
        dropout: float = 0.0,
        initializer: Optional[InitializerApplicator] = None,
    ) -> None:
        super().__init__()
        check_dimensions_match(
            lemma_embedder.get_output_dim() + tag_embedder.get_output_dim(),
            encoder.get_input_dim(),
            "lemma and tag embedding together",
            "encoder input",
        )
        numbers = action_numbers(vocab, CHARACTERS)
        self._lemma_embedder = lemma_embedder
        self._tag_embedder = tag_embedder
        self._encoder = encoder
        self._decoder = decoder
        self._action_embedder = Embedding(action_dim, numbers.how_many)
        self._output = torch.nn.Linear(decoder.get_output_dim(), numbers.how_many)
        # Copies, before it has learnt when not to.
        torch.nn.init.zeros_(self._output.bias)
        torch.nn.init.constant_(self._output.bias[numbers.copy], COPY_BIAS)
        self._casing = torch.nn.Linear(tag_embedder.get_output_dim(), len(Casing))
        self._dropout = ByteDropout(dropout)
        self._unknown_part = unknown_part(vocab)
        if initializer is not None:
            initializer(self)

    def encode(self, lemma: TextFieldTensors, tag: TextFieldTensors) -> Encoded:
        parts, parts_mask = embedded_parts(self._tag_embedder, tag, self._unknown_part)
        whole_tag = self._dropout(parts.sum(dim=1))
        characters = self._dropout(self._lemma_embedder(lemma))
        beside = whole_tag.unsqueeze(1).expand(-1, characters.size(1), -1)
        memory = self._encoder(torch.cat([characters, beside], dim=-1), get_text_field_mask(lemma))
        return Encoded(
            memory=self._dropout(memory),
            tag=whole_tag,
            parts=self._dropout(parts),
            parts_mask=parts_mask,
        )

    def casing_scores(self, encoded: Encoded) -> torch.Tensor:
        """Shape `(batch_size, 2)`. What the tag's embedding learns, it learns from the actions alone."""
        return self._casing(encoded.tag.detach())

    def action_scores(self, encoded: Encoded, steps: Steps) -> torch.Tensor:
        """Of the action of each step; shape `(batch_size, steps, num_actions)`."""
        pointers = steps.pointers.unsqueeze(-1).expand(-1, -1, encoded.memory.size(-1))
        memory = encoded.memory.gather(1, pointers)
        embedded = self._dropout(self._action_embedder(steps.previous))
        return self._output(
            self._decoder(embedded, memory, encoded.tag, encoded.parts, encoded.parts_mask)
        )

    def prepare(self, encoded: Encoded) -> Prepared:
        """For single steps."""
        return self._decoder.prepare(self._action_embedder.weight, *encoded)

    def initial_state(self, batch_size: int) -> torch.Tensor:
        """Shape `(batch_size, hidden_size)`."""
        return self._decoder.initial_state(batch_size)

    def step(
        self,
        prepared: Prepared,
        rows: torch.Tensor,
        actions: torch.Tensor,
        pointers: torch.Tensor,
        state: torch.Tensor,
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        """The scores of the next action, shape `(group_size, num_actions)`; the rest as in `EditDecoder.step`."""
        hidden, state = self._decoder.step(prepared, rows, actions, pointers, state)
        return self._output(hidden), state
