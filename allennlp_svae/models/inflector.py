"""
The morphological inflector (paper, section 4.2 (3) and Appendix A):

    p(f | ℓ, m) = Π_j p(f_j | f_<j, ℓ, m)

An encoder runs both ways over the tag's parts followed by the lemma's characters; a decoder with
multiplicative attention writes the form character by character up to an end symbol.
"""

import copy
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import torch
from allennlp.common import Lazy
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.data.fields import TextField
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder, TextFieldEmbedder
from allennlp.nn.beam_search import BeamSearch, StateType
from allennlp.nn.util import (
    get_final_encoder_states,
    get_text_field_mask,
    get_token_ids_from_text_field_tensors,
)

from allennlp_svae.models.inflection_model import InflectionModel
from allennlp_svae.modules.attention_decoder import AttentionDecoder
from allennlp_svae.modules.batching import in_batches
from allennlp_svae.modules.sequences import concatenate_sequences
from allennlp_svae.training.inflection_metrics import TOP, InflectionMetric

# How many sources are decoded at once. Wide batches cost little more a step than narrow ones.
DECODING_BATCH_SIZE = 256


@Model.register("inflector")
class Inflector(InflectionModel):
    """
    # Parameters

    vocab : `Vocabulary`
    lemma_embedder : `TextFieldEmbedder`
        Embeds the lemma's characters.
    tag_embedder : `TextFieldEmbedder`
        Embeds the tag's parts, in as many dimensions.
    encoder : `Seq2SeqEncoder`
        Bidirectional, over parts and characters.
    decoder : `AttentionDecoder`
    beam_search : `Lazy[BeamSearch]`
        Finds the best forms. Its `max_steps` is the greatest length of a form, end symbol included:
        the last step can only end the form. Its sampler must be deterministic.
    form_embedder : `TextFieldEmbedder`, optional (default = `lemma_embedder`)
        Embeds the form's characters for the decoder: lemmas and forms are over one alphabet. Its
        token embedder is named like `target_namespace`.
    dropout : `float`, optional (default = `0.0`)
        Applied to all embeddings and to the encoded source; the decoder has one of its own.
    metric_beam_size : `int`, optional (default = that of `beam_search`)
        The beam for the metrics; 1 makes validating after each epoch cheap.
    target_namespace : `str`, optional (default = `"characters"`)
    """

    default_predictor = "inflect"

    def __init__(
        self,
        vocab: Vocabulary,
        lemma_embedder: TextFieldEmbedder,
        tag_embedder: TextFieldEmbedder,
        encoder: Seq2SeqEncoder,
        decoder: AttentionDecoder,
        beam_search: Lazy[BeamSearch],
        form_embedder: Optional[TextFieldEmbedder] = None,
        dropout: float = 0.0,
        metric_beam_size: Optional[int] = None,
        target_namespace: str = "characters",
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        self._namespace = target_namespace
        self._start = vocab.get_token_index(START_SYMBOL, target_namespace)
        self._end = vocab.get_token_index(END_SYMBOL, target_namespace)
        self._lemma_embedder = lemma_embedder
        self._tag_embedder = tag_embedder
        self._form_embedder = form_embedder or lemma_embedder
        self._encoder = encoder
        self._decoder = decoder
        self._dropout = torch.nn.Dropout(dropout)
        symbols = vocab.get_vocab_size(target_namespace)
        self._output = torch.nn.Linear(decoder.get_output_dim(), symbols)
        unwritable = torch.zeros(symbols, dtype=torch.bool)
        for symbol in (vocab._padding_token, vocab._oov_token, START_SYMBOL):
            unwritable[vocab.get_token_index(symbol, target_namespace)] = True
        self.register_buffer("_unwritable", unwritable, persistent=False)
        self._beam_search = beam_search.construct(end_index=self._end, vocab=vocab)
        self._metric_beam_size = metric_beam_size or self._beam_search.beam_size
        self._metric = InflectionMetric(vocab)

    def forward(
        self,
        lemma: TextFieldTensors,
        tag: TextFieldTensors,
        form: Optional[TextFieldTensors] = None,
        weight: Optional[torch.Tensor] = None,
        metadata: Optional[List[Dict[str, Any]]] = None,
    ) -> Dict[str, Any]:
        """
        # Parameters

        lemma, tag, form : `TextFieldTensors`
            As the `inflections` reader makes them; token ids of shape `(batch_size, length)`.
        weight : `torch.Tensor`, optional (default = all one)
            Shape `(batch_size,)`.
        metadata : `List[Dict[str, Any]]`, optional (default = `None`)
            The strings, for the metrics.

        # Returns

        `Dict[str, Any]`
            `loss`, the weighted mean over the batch of -log p(f | ℓ, m) in nats, if there are
            forms. Characters that are not in the vocabulary are left out of it, since nothing could
            make them likelier. When not training, `forms` and their `log_probs`, the best that the
            beam found.
        """
        memory, mask = self._encode(lemma, tag)
        output: Dict[str, Any] = {}
        if form is not None:
            log_probs, targets = self._step_log_probs(memory, mask, form)
            nll = -log_probs.masked_fill(self._unwritable[targets], 0.0).sum(dim=1)
            output["loss"] = (nll if weight is None else weight * nll).mean()
        if not self.training:
            found = self._search(memory, mask, self._metric_beam_size, TOP)
            output["forms"] = [candidates[0][0] for candidates in found]
            output["log_probs"] = memory.new_tensor([one[0][1] for one in found])
            if metadata is not None:
                self._metric.of_search(found, self._metric_beam_size, metadata)
        return output

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        """Those of `InflectionMetric`; none when training, which does not decode."""
        return self._metric.get_metric(reset)

    @property
    def beam_size(self) -> Optional[int]:
        return self._beam_search.beam_size

    @beam_size.setter
    def beam_size(self, width: int) -> None:
        search = self._beam_search
        if search.per_node_beam_size == search.beam_size:
            search.per_node_beam_size = width
        search.beam_size = width

    def inflect(
        self, instances: Sequence[Instance], n_best: int = 1
    ) -> List[List[Tuple[str, float]]]:
        """
        By beam search, as wide as `n_best` at least. A form as long as `max_steps` allows is cut
        there; its log-probability is still that of the form returned.
        """
        width = max(n_best, self._beam_search.beam_size)
        return self._decode(
            instances, lambda memory, mask: self._search(memory, mask, width, n_best)
        )

    def sample(self, instances: Sequence[Instance], temperature: float = 1.0) -> List[str]:
        """
        By ancestral sampling from the distribution of each step raised to 1/`temperature`. Forms
        are cut at `max_steps`.
        """
        return self._decode(
            instances, lambda memory, mask: self._ancestral_samples(memory, mask, temperature)
        )

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        """-inf where the form has a character that the vocabulary lacks."""

        def compute(tensors: Dict[str, Any]) -> List[float]:
            memory, mask = self._encode(tensors["lemma"], tensors["tag"])
            return self._step_log_probs(memory, mask, tensors["form"])[0].sum(dim=1).tolist()

        return self._in_batches(instances, compute)

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
        self, memory: torch.Tensor, mask: torch.Tensor, form: TextFieldTensors
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        """
        log p(f_j | f_<j, ℓ, m), zero on padding, and the ids of f_j; shapes
        `(batch_size, form_length - 1)`.
        """
        symbols = get_token_ids_from_text_field_tensors(form)
        targets = symbols[:, 1:]
        # The last input is the end symbol or padding, after which nothing is predicted.
        inputs = self._dropout(self._form_embedder(form)[:, :-1])
        states, _ = self._decoder.recur(inputs, self._initial_state(memory, mask))
        log_probs = self._log_probs(self._decoder.attend(states, memory, mask))
        chosen = log_probs.gather(2, targets.unsqueeze(2)).squeeze(2)
        return chosen.masked_fill(~get_text_field_mask(form)[:, 1:], 0.0), targets

    def _log_probs(self, attentional_states: torch.Tensor) -> torch.Tensor:
        logits = self._output(attentional_states)
        return torch.log_softmax(logits.masked_fill(self._unwritable, -torch.inf), dim=-1)

    def _step(
        self, memory: torch.Tensor, mask: torch.Tensor, symbols: torch.Tensor, state: torch.Tensor
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        """
        The log-distribution of the next symbol, shape `(group_size, vocabulary_size)`, and the
        state after `symbols`. The group holds one or more hypotheses for each row of `memory`, in
        order.
        """
        embedded = self._form_embedder({self._namespace: {"tokens": symbols.unsqueeze(1)}})
        states, state = self._decoder.recur(embedded, state)
        # Hypotheses of one source query its memory together: it need not be copied for each.
        queries = states.view(memory.size(0), -1, states.size(-1))
        log_probs = self._log_probs(self._decoder.attend(queries, memory, mask))
        return log_probs.flatten(0, 1), state

    def _start_symbols(self, memory: torch.Tensor) -> torch.Tensor:
        return torch.full((memory.size(0),), self._start, device=memory.device)

    def _search(
        self, memory: torch.Tensor, mask: torch.Tensor, width: int, n_best: int
    ) -> List[List[Tuple[str, float]]]:
        search = copy.copy(self._beam_search)
        # AllenNLP's search begins with the best `beam_size` symbols: it cannot be wider than that.
        search.beam_size = min(width, self._output.out_features)
        if self._beam_search.per_node_beam_size == self._beam_search.beam_size:
            search.per_node_beam_size = search.beam_size
        last_step = search.max_steps - 1

        def step(
            symbols: torch.Tensor, state: StateType, time_step: int
        ) -> Tuple[torch.Tensor, StateType]:
            log_probs, hidden = self._step(memory, mask, symbols, state["hidden"])
            if time_step == last_step:
                ending = log_probs[:, self._end].clone()
                log_probs = torch.full_like(log_probs, -torch.inf)
                log_probs[:, self._end] = ending
            return log_probs, {"hidden": hidden}

        # shapes: (batch_size, beam_size, steps), (batch_size, beam_size)
        predictions, scores = search.search(
            self._start_symbols(memory), {"hidden": self._initial_state(memory, mask)}, step
        )
        # A beam wider than the number of possible continuations fills up with impossible ones.
        impossible = torch.finfo(scores.dtype).min
        return [
            [
                (self._text(row), score)
                for row, score in zip(rows, row_scores, strict=True)
                if score > impossible
            ][:n_best]
            for rows, row_scores in zip(predictions.tolist(), scores.tolist(), strict=True)
        ]

    def _ancestral_samples(
        self, memory: torch.Tensor, mask: torch.Tensor, temperature: float
    ) -> List[str]:
        symbols = self._start_symbols(memory)
        state = self._initial_state(memory, mask)
        drawn: List[torch.Tensor] = []
        ended = torch.zeros_like(symbols, dtype=torch.bool)
        while len(drawn) < self._beam_search.max_steps - 1 and not ended.all():
            log_probs, state = self._step(memory, mask, symbols, state)
            probs = torch.softmax(log_probs / temperature, dim=-1)
            symbols = torch.multinomial(probs, 1).squeeze(1)
            drawn.append(symbols)
            ended |= symbols == self._end
        return [self._text(row) for row in torch.stack(drawn, dim=1).tolist()]

    def _text(self, symbols: List[int]) -> str:
        length = symbols.index(self._end) if self._end in symbols else len(symbols)
        return "".join(
            self.vocab.get_token_from_index(symbol, self._namespace) for symbol in symbols[:length]
        )

    def _decode(
        self,
        instances: Sequence[Instance],
        decode: Callable[[torch.Tensor, torch.Tensor], List[Any]],
    ) -> List[Any]:
        # Forms are left out: they are not needed, and a batch cannot hold instances with and
        # without.
        sources = [Instance({name: one[name] for name in ("lemma", "tag")}) for one in instances]
        return self._in_batches(
            sources, lambda tensors: decode(*self._encode(tensors["lemma"], tensors["tag"]))
        )

    def _in_batches(
        self, instances: Sequence[Instance], compute: Callable[[Dict[str, Any]], List[Any]]
    ) -> List[Any]:
        return in_batches(self, instances, compute, _source_length, DECODING_BATCH_SIZE)


def _source_length(instance: Instance) -> int:
    lemma, tag = instance["lemma"], instance["tag"]
    assert isinstance(lemma, TextField)
    assert isinstance(tag, TextField)
    return lemma.sequence_length() + tag.sequence_length()
