"""
A pointer-generator: p(f | ℓ, m) by soft attention, each step generating or copying.

    p(f_j | f_<j, ℓ, m) = g_j p_vocab(f_j) + (1 - g_j) Σ_{i: ℓ_i = f_j} a_ji

h̃_j and the attention a_j are the decoder's, g_j = σ(w h̃_j) and p_vocab = softmax(W h̃_j). The lemma's end symbol is
a place like its characters: to copy it is to end the form. Copying needs no vocabulary: the symbols of a
step are those of the vocabulary and, for characters that it lacks, their places in the lemma. After See et al.
(2017), for inflection Sharma et al. (2018).
"""

from functools import partial
from typing import Any, NamedTuple, Optional, Sequence, Tuple

import torch
from allennlp.common.checks import check_dimensions_match
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder, TextFieldEmbedder
from allennlp.nn import InitializerApplicator
from allennlp.nn.util import (
    get_final_encoder_states,
    get_text_field_mask,
    get_token_ids_from_text_field_tensors,
)

from allennlp_svae.dataset_readers.inflections import CHARACTERS
from allennlp_svae.models.character_inflector import CharacterInflector, Writer
from allennlp_svae.models.inflection_model import Strings
from allennlp_svae.modules.attention_decoder import AttentionDecoder
from allennlp_svae.modules.tag_parts import embedded_parts, unknown_part


class Source(NamedTuple):
    """Lemmas and tags of a batch, ready to be read and copied."""

    memory: torch.Tensor  # (batch_size, lemma_length + 2, memory_size), START first
    places: torch.Tensor  # (batch_size, lemma_length + 2), what can be pointed at: all but START
    copies: torch.Tensor  # (batch_size, lemma_length + 2, num_symbols), the symbol of each, one-hot
    tag: torch.Tensor  # (batch_size, 1, tag_size), the sum of its parts
    hidden: (
        torch.Tensor
    )  # (batch_size, vocabulary_size), what is taken as lacking in the vocabulary
    strings: Sequence[Strings]


@Model.register("pointer_generator")
class PointerGenerator(CharacterInflector):
    """
    # Parameters

    vocab : `Vocabulary`
    lemma_embedder : `TextFieldEmbedder`
        Embeds the characters of lemmas and forms. Its token embedder is named `characters`.
    tag_embedder : `TextFieldEmbedder`
        Embeds the tag's parts, which are taken as a set. Parts that the vocabulary lacks are ignored.
    encoder : `Seq2SeqEncoder`
        Bidirectional, over the lemma's characters, each beside the sum of the tag's parts.
    decoder : `AttentionDecoder`
        Over the form's characters, each beside the sum of the tag's parts.
    dropout : `float`, optional (default = `0.0`)
        Applied to all embeddings and to the encoded lemma; the decoder has one of its own.
    unseen_rate : `float`, optional (default = `0.0`)
        In training, the probability with which a character of the lemma is taken as one that the vocabulary
        lacks: how else should copying those be learned?
    initializer : `InitializerApplicator`, optional (default = `None`)
        Embeddings as wide as a standard normal learn faster than AllenNLP's own.
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
        unseen_rate: float = 0.0,
        initializer: Optional[InitializerApplicator] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        tag_dim, character_dim = tag_embedder.get_output_dim(), lemma_embedder.get_output_dim()
        for size, reader in (
            (encoder.get_input_dim(), "encoder input"),
            (decoder.get_input_dim(), "decoder input"),
        ):
            check_dimensions_match(
                character_dim + tag_dim, size, "lemma and tag embedding together", reader
            )
        self._lemma_embedder = lemma_embedder
        self._tag_embedder = tag_embedder
        self._encoder = encoder
        self._decoder = decoder
        self._dropout = torch.nn.Dropout(dropout)
        self._unseen_rate = unseen_rate
        self._output = torch.nn.Linear(decoder.get_output_dim(), self._num_symbols)
        self._gate = torch.nn.Linear(decoder.get_output_dim(), 1)
        self._unseen = vocab.get_token_index(vocab._oov_token, CHARACTERS)
        padding = vocab.get_token_index(vocab._padding_token, CHARACTERS)
        self._no_characters = [padding, self._start, self._end]
        self._unknown_part = unknown_part(vocab)
        if initializer is not None:
            initializer(self)

    def _writer(
        self, lemma: TextFieldTensors, tag: TextFieldTensors, metadata: Sequence[Strings]
    ) -> Writer:
        source, state = self._encode(lemma, tag, metadata)
        return Writer(
            initial_state=state,
            step=partial(self._step, source),
            step_log_probs=partial(self._step_log_probs, source, state),
            character=partial(self._copied_or_generated, source),
        )

    def _copied_or_generated(self, source: Source, row: int, symbol: int) -> str:
        if symbol < self._num_symbols:
            return self._character(symbol)
        return source.strings[row]["lemma"][symbol - self._num_symbols]

    def _encode(
        self, lemma: TextFieldTensors, tag: TextFieldTensors, strings: Sequence[Strings]
    ) -> Tuple[Source, torch.Tensor]:
        """The source and the decoder's state before the first character."""
        parts, _ = embedded_parts(self._tag_embedder, tag, self._unknown_part)
        whole_tag = self._dropout(parts.sum(dim=1, keepdim=True))
        hidden = self._hidden_symbols(len(strings), whole_tag.device)
        symbols = self._symbols(lemma, "lemma", strings, hidden)
        mask = get_text_field_mask(lemma)
        memory = self._dropout(self._encoder(self._embed(symbols, whole_tag), mask))
        summary = get_final_encoder_states(memory, mask, self._encoder.is_bidirectional())
        places = mask.clone()
        places[:, 0] = False
        # Symbols are those of the vocabulary, then one for each place of the lemma.
        copies = torch.nn.functional.one_hot(symbols, self._num_symbols + symbols.size(1))
        source = Source(
            memory=memory,
            places=places,
            copies=(copies * places.unsqueeze(-1)).to(memory.dtype),
            tag=whole_tag,
            hidden=hidden,
            strings=strings,
        )
        return source, self._decoder.initial_state(summary)

    def _hidden_symbols(self, batch_size: int, device: torch.device) -> torch.Tensor:
        hidden = torch.zeros(batch_size, self._num_symbols, dtype=torch.bool, device=device)
        if self.training and self._unseen_rate > 0.0:
            hidden |= torch.rand(hidden.shape, device=device) < self._unseen_rate
            hidden[:, self._no_characters] = False
        hidden[:, self._unseen] = True
        return hidden

    def _symbols(
        self,
        characters: TextFieldTensors,
        name: str,
        strings: Sequence[Strings],
        hidden: torch.Tensor,
    ) -> torch.Tensor:
        """
        The symbols of lemmas or forms (`name`), shape `(batch_size, length)`. A hidden one becomes that of the
        first place in the lemma with the same character, if there is one.
        """
        symbols = get_token_ids_from_text_field_tensors(characters).clone()
        for row, place in hidden.gather(1, symbols).nonzero().tolist():
            # START comes before the word.
            first = strings[row]["lemma"].find(strings[row][name][place - 1])
            if first >= 0:
                symbols[row, place] = self._num_symbols + first
        return symbols

    def _embed(self, symbols: torch.Tensor, tag: torch.Tensor) -> torch.Tensor:
        """Characters, each beside the tag; shape `(batch_size, length, input_size)`."""
        known = symbols.masked_fill(symbols >= self._num_symbols, self._unseen)
        embedded = self._dropout(self._lemma_embedder({CHARACTERS: {"tokens": known}}))
        return torch.cat([embedded, tag.expand(-1, symbols.size(1), -1)], dim=-1)

    def _step_log_probs(
        self, source: Source, state: torch.Tensor, form: TextFieldTensors
    ) -> torch.Tensor:
        symbols = self._symbols(form, "form", source.strings, source.hidden)
        # The last input is the end symbol or padding, after which nothing is predicted.
        states, _ = self._decoder.recur(self._embed(symbols[:, :-1], source.tag), state)
        chosen = self._log_probs(source, states).gather(2, symbols[:, 1:].unsqueeze(2)).squeeze(2)
        return chosen.masked_fill(~get_text_field_mask(form)[:, 1:], 0.0)

    def _step(
        self, source: Source, symbols: torch.Tensor, state: torch.Tensor
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        batch_size = source.memory.size(0)
        tag = source.tag.repeat_interleave(symbols.size(0) // batch_size, dim=0)
        states, state = self._decoder.recur(self._embed(symbols.unsqueeze(1), tag), state)
        # Hypotheses of one source point into its lemma together: it need not be copied for each.
        log_probs = self._log_probs(source, states.view(batch_size, -1, states.size(-1)))
        return log_probs.flatten(0, 1), state

    def _log_probs(self, source: Source, states: torch.Tensor) -> torch.Tensor:
        """Any number of states for each source; shape `(batch_size, count, num_symbols)`."""
        attentional, attention = self._decoder.attend_and_point(
            states, source.memory, source.places
        )
        gate = self._gate(attentional)
        logits = self._output(attentional).masked_fill(self._unwritable, -torch.inf)
        generated = torch.nn.functional.logsigmoid(gate) + torch.log_softmax(logits, dim=-1)
        # shape: (batch_size, 1, num_symbols)
        copiable = source.copies.any(dim=1, keepdim=True)
        beyond = copiable.size(-1) - self._num_symbols
        generated = torch.nn.functional.pad(generated, (0, beyond), value=-torch.inf)
        number = torch.finfo(attention.dtype)
        # Finite where nothing is copied: the gradient of a sum of two zeros' logarithms is none.
        copied = (attention @ source.copies).clamp(min=number.tiny).log()
        copied = (torch.nn.functional.logsigmoid(-gate) + copied).masked_fill(~copiable, number.min)
        never = torch.isneginf(generated) & ~copiable
        return torch.logaddexp(generated, copied).masked_fill(never, -torch.inf)
