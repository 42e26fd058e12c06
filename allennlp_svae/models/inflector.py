"""
The morphological inflector (paper, section 4.2 (3) and Appendix A):

    p(f | ℓ, m) = Π_j p(f_j | f_<j, ℓ, m)

An encoder runs both ways over the tag's parts followed by the lemma's characters; a decoder with
multiplicative attention writes the form character by character up to an end symbol.
"""

from functools import partial
from typing import Any, Sequence, Tuple

import torch
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder, TextFieldEmbedder
from allennlp.nn.util import (
    get_final_encoder_states,
    get_text_field_mask,
    get_token_ids_from_text_field_tensors,
)

from allennlp_svae.dataset_readers.inflections import CHARACTERS
from allennlp_svae.models.character_inflector import CharacterInflector, Writer
from allennlp_svae.models.inflection_model import Strings
from allennlp_svae.modules.attention_decoder import AttentionDecoder
from allennlp_svae.modules.sequences import concatenate_sequences


@Model.register("inflector")
class Inflector(CharacterInflector):
    """
    # Parameters

    vocab : `Vocabulary`
    lemma_embedder : `TextFieldEmbedder`
        Embeds the characters of lemmas and forms, which are over one alphabet. Its token embedder is named
        `characters`.
    tag_embedder : `TextFieldEmbedder`
        Embeds the tag's parts, in as many dimensions.
    encoder : `Seq2SeqEncoder`
        Bidirectional, over parts and characters.
    decoder : `AttentionDecoder`
    dropout : `float`, optional (default = `0.0`)
        Applied to all embeddings and to the encoded source; the decoder has one of its own.
    beam_search, metric_beam_size
        See `CharacterInflector`.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        lemma_embedder: TextFieldEmbedder,
        tag_embedder: TextFieldEmbedder,
        encoder: Seq2SeqEncoder,
        decoder: AttentionDecoder,
        dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        self._lemma_embedder = lemma_embedder
        self._tag_embedder = tag_embedder
        self._encoder = encoder
        self._decoder = decoder
        self._dropout = torch.nn.Dropout(dropout)
        self._output = torch.nn.Linear(decoder.get_output_dim(), self._num_symbols)

    def _writer(
        self, lemma: TextFieldTensors, tag: TextFieldTensors, metadata: Sequence[Strings]
    ) -> Writer:
        memory, mask = self._encode(lemma, tag)
        state = self._initial_state(memory, mask)
        return Writer(
            initial_state=state,
            step=partial(self._step, memory, mask),
            step_log_probs=partial(self._step_log_probs, memory, mask, state),
            character=lambda row, symbol: self._character(symbol),
        )

    def _encode(
        self, lemma: TextFieldTensors, tag: TextFieldTensors
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        # shapes: (batch_size, source_length, embedding_dim), (batch_size, source_length)
        source, mask = concatenate_sequences(
            self._tag_embedder(tag),
            get_text_field_mask(tag),
            self._lemma_embedder(lemma),
            get_text_field_mask(lemma),
        )
        # shape: (batch_size, source_length, encoder_output_dim)
        return self._dropout(self._encoder(self._dropout(source), mask)), mask

    def _initial_state(self, memory: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        summary = get_final_encoder_states(memory, mask, self._encoder.is_bidirectional())
        return self._decoder.initial_state(summary)

    def _step_log_probs(
        self, memory: torch.Tensor, mask: torch.Tensor, state: torch.Tensor, form: TextFieldTensors
    ) -> torch.Tensor:
        # The last input is the end symbol or padding, after which nothing is predicted.
        inputs = self._dropout(self._lemma_embedder(form)[:, :-1])
        states, _ = self._decoder.recur(inputs, state)
        log_probs = self._log_probs(self._decoder.attend(states, memory, mask))
        targets = get_token_ids_from_text_field_tensors(form)[:, 1:]
        chosen = log_probs.gather(2, targets.unsqueeze(2)).squeeze(2)
        return chosen.masked_fill(~get_text_field_mask(form)[:, 1:], 0.0)

    def _log_probs(self, attentional_states: torch.Tensor) -> torch.Tensor:
        logits = self._output(attentional_states)
        return torch.log_softmax(logits.masked_fill(self._unwritable, -torch.inf), dim=-1)

    def _step(
        self, memory: torch.Tensor, mask: torch.Tensor, symbols: torch.Tensor, state: torch.Tensor
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        embedded = self._lemma_embedder({CHARACTERS: {"tokens": symbols.unsqueeze(1)}})
        states, state = self._decoder.recur(embedded, state)
        # Hypotheses of one source query its memory together: it need not be copied for each.
        queries = states.view(memory.size(0), -1, states.size(-1))
        log_probs = self._log_probs(self._decoder.attend(queries, memory, mask))
        return log_probs.flatten(0, 1), state
