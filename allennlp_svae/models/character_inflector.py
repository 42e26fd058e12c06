"""
What inflectors share that write a form character by character, up to an end symbol:

    p(f | ℓ, m) = Π_j p(f_j | f_<j, ℓ, m)
"""

import copy
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import torch
from allennlp.common import Lazy
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.data.fields import TextField
from allennlp.nn.beam_search import BeamSearch, StateType

from allennlp_svae.dataset_readers.inflections import CHARACTERS, without_form
from allennlp_svae.models.inflection_model import Answer, InflectionModel, Strings
from allennlp_svae.modules.batching import in_batches
from allennlp_svae.modules.candidates import Candidates
from allennlp_svae.training.inflection_metrics import TOP

# How many sources are decoded at once. Wide batches cost little more a step than narrow ones.
DECODING_BATCH_SIZE = 256


class Writer(NamedTuple):
    """Writes the forms of one batch of lemmas and tags, encoded."""

    initial_state: torch.Tensor
    """Shape `(batch_size, ...)`."""
    step: Callable[[torch.Tensor, torch.Tensor], Tuple[torch.Tensor, torch.Tensor]]
    """
    From symbols and state to the log-distribution of the next symbol, shape `(group_size,
    num_symbols)`, and the state after `symbols`. The group holds one or more hypotheses for each row of
    the batch, in order.
    """
    step_log_probs: Callable[[TextFieldTensors], torch.Tensor]
    """
    From the rows' forms to log p(f_j | f_<j, ℓ, m), zero on padding and -inf where nothing could write the
    character; shape `(batch_size, form_length - 1)`.
    """
    character: Callable[[int, int], str]
    """From a row and a symbol to the character."""


class CharacterInflector(InflectionModel):
    """
    # Parameters

    vocab : `Vocabulary`
    beam_search : `Lazy[BeamSearch]`
        Finds the best forms. Its `max_steps` is the greatest length of a form, end symbol included:
        the last step can only end the form. Its sampler must be deterministic.
    metric_beam_size : `int`, optional (default = that of `beam_search`)
        The beam for the metrics; 1 makes validating after each epoch cheap.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        beam_search: Lazy[BeamSearch],
        metric_beam_size: Optional[int] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        self._start = vocab.get_token_index(START_SYMBOL, CHARACTERS)
        self._end = vocab.get_token_index(END_SYMBOL, CHARACTERS)
        self._num_symbols = vocab.get_vocab_size(CHARACTERS)
        unwritable = torch.zeros(self._num_symbols, dtype=torch.bool)
        for symbol in (vocab._padding_token, vocab._oov_token, START_SYMBOL):
            unwritable[vocab.get_token_index(symbol, CHARACTERS)] = True
        self.register_buffer("_unwritable", unwritable, persistent=False)
        self._beam_search = beam_search.construct(end_index=self._end, vocab=vocab)
        self._metric_beam_size = metric_beam_size

    def _writer(
        self, lemma: TextFieldTensors, tag: TextFieldTensors, metadata: Sequence[Strings]
    ) -> Writer:
        raise NotImplementedError

    def answer(
        self,
        lemma: TextFieldTensors,
        tag: TextFieldTensors,
        form: Optional[TextFieldTensors],
        strings: Sequence[Strings],
    ) -> Answer:
        writer = self._writer(lemma, tag, strings)
        losses = None
        if form is not None:
            log_probs = writer.step_log_probs(form)
            losses = -log_probs.masked_fill(torch.isneginf(log_probs), 0.0).sum(dim=1)
        return Answer(losses, lambda: self._search(writer, self.metric_beam_size, TOP))

    @property
    def beam_size(self) -> Optional[int]:
        return self._beam_search.beam_size

    @beam_size.setter
    def beam_size(self, width: int) -> None:
        search = self._beam_search
        if search.per_node_beam_size == search.beam_size:
            search.per_node_beam_size = width
        search.beam_size = width

    def inflect(self, instances: Sequence[Instance], n_best: int = 1) -> List[Candidates]:
        """
        By beam search, as wide as `n_best` at least. A form as long as `max_steps` allows is cut
        there; its log-probability is still that of the form returned.
        """
        width = max(n_best, self._beam_search.beam_size)
        return self._decode(instances, lambda writer: self._search(writer, width, n_best))

    def sample(self, instances: Sequence[Instance], temperature: float = 1.0) -> List[str]:
        """
        By ancestral sampling from the distribution of each step raised to 1/`temperature`. Forms
        are cut at `max_steps`.
        """
        return self._decode(instances, lambda writer: self._ancestral_samples(writer, temperature))

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        """-inf where the form has a character that can not be written."""

        def compute(tensors: Dict[str, Any]) -> List[float]:
            writer = self._writer(tensors["lemma"], tensors["tag"], tensors["metadata"])
            return writer.step_log_probs(tensors["form"]).sum(dim=1).tolist()

        return self._in_batches(instances, compute)

    def _start_symbols(self, writer: Writer) -> torch.Tensor:
        state = writer.initial_state
        return torch.full((state.size(0),), self._start, device=state.device)

    def _search(self, writer: Writer, width: int, n_best: int) -> List[Candidates]:
        search = copy.copy(self._beam_search)
        # AllenNLP's search begins with the best `beam_size` symbols: it cannot be wider than that.
        search.beam_size = min(width, self._num_symbols)
        if self._beam_search.per_node_beam_size == self._beam_search.beam_size:
            search.per_node_beam_size = search.beam_size
        last_step = search.max_steps - 1

        def step(
            symbols: torch.Tensor, state: StateType, time_step: int
        ) -> Tuple[torch.Tensor, StateType]:
            log_probs, hidden = writer.step(symbols, state["hidden"])
            if time_step == last_step:
                ending = log_probs[:, self._end].clone()
                log_probs = torch.full_like(log_probs, -torch.inf)
                log_probs[:, self._end] = ending
            return log_probs, {"hidden": hidden}

        # shapes: (batch_size, beam_size, steps), (batch_size, beam_size)
        predictions, scores = search.search(
            self._start_symbols(writer), {"hidden": writer.initial_state}, step
        )
        # A beam wider than the number of possible continuations fills up with impossible ones.
        impossible = torch.finfo(scores.dtype).min
        return [
            [
                (self._text(writer, row, symbols), score)
                for symbols, score in zip(candidates, candidate_scores, strict=True)
                if score > impossible
            ][:n_best]
            for row, (candidates, candidate_scores) in enumerate(
                zip(predictions.tolist(), scores.tolist(), strict=True)
            )
        ]

    def _ancestral_samples(self, writer: Writer, temperature: float) -> List[str]:
        symbols = self._start_symbols(writer)
        state = writer.initial_state
        drawn: List[torch.Tensor] = []
        ended = torch.zeros_like(symbols, dtype=torch.bool)
        while len(drawn) < self._beam_search.max_steps - 1 and not ended.all():
            log_probs, state = writer.step(symbols, state)
            probs = torch.softmax(log_probs / temperature, dim=-1)
            symbols = torch.multinomial(probs, 1).squeeze(1)
            drawn.append(symbols)
            ended |= symbols == self._end
        rows = torch.stack(drawn, dim=1).tolist()
        return [self._text(writer, row, symbols) for row, symbols in enumerate(rows)]

    def _text(self, writer: Writer, row: int, symbols: List[int]) -> str:
        length = symbols.index(self._end) if self._end in symbols else len(symbols)
        return "".join(writer.character(row, symbol) for symbol in symbols[:length])

    def _character(self, symbol: int) -> str:
        return self.vocab.get_token_from_index(symbol, CHARACTERS)

    def _decode(
        self, instances: Sequence[Instance], decode: Callable[[Writer], List[Any]]
    ) -> List[Any]:
        return self._in_batches(
            list(map(without_form, instances)), lambda tensors: decode(self._writer(**tensors))
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
