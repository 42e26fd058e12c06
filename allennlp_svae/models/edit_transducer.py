"""
A hard-monotonic edit transducer: p(f | ℓ, m) by copying, deleting and inserting characters.

    p(f | ℓ, m) = Σ_c p(c | m) Σ_{a writes f̃ from ℓ, c(f̃) = f} Π_t p(a_t | a_<t, ℓ, m)

c is the casing, a the actions of `data/edit_actions.py`. Copying needs no vocabulary: characters never seen
in training are copied like any other. After Makarov and Clematide (2018).
"""

import math
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import torch
from allennlp.common.checks import check_dimensions_match
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.data.fields import MetadataField, TextField
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder, TextFieldEmbedder
from allennlp.modules.token_embedders import Embedding
from allennlp.nn import InitializerApplicator
from allennlp.nn.beam_search import BeamSearch, StateType
from allennlp.nn.util import get_text_field_mask, get_token_ids_from_text_field_tensors

from allennlp_svae.data.casing import (
    DOTTED_CAPITAL,
    Casing,
    Reading,
    apply_casing,
    can_be_capitalized,
    likely_reading,
    readings,
)
from allennlp_svae.data.edit_actions import Actions, cheapest_derivations, edit_actions
from allennlp_svae.dataset_readers.inflections import TAG_PARTS
from allennlp_svae.models.inflection_model import Answer, InflectionModel, Strings
from allennlp_svae.modules.batching import in_batches
from allennlp_svae.modules.byte_dropout import ByteDropout
from allennlp_svae.modules.candidates import Candidates, log_add
from allennlp_svae.modules.edit_decoder import EditDecoder, Prepared
from allennlp_svae.modules.edit_moves import EditMoves, Steps
from allennlp_svae.training.inflection_metrics import TOP

DECODING_BATCH_SIZE = 512
COPY_BIAS = 2.0


class Encoded(NamedTuple):
    """Lemmas and tags of a batch, ready to be decoded."""

    memory: torch.Tensor  # (batch_size, lemma_length + 2, memory_size), START first
    characters: torch.Tensor  # (batch_size, lemma_length + 2), ids
    end: torch.Tensor  # (batch_size,), the place after the lemma's last character
    tag: torch.Tensor  # (batch_size, tag_size), the sum of its parts
    parts: torch.Tensor  # (batch_size, num_parts, tag_size), zero where there is none
    parts_mask: torch.Tensor  # (batch_size, num_parts)

    def rows(self, index: torch.Tensor) -> "Encoded":
        return Encoded(*(tensor.index_select(0, index) for tensor in self))


@Model.register("edit_transducer")
class EditTransducer(InflectionModel):
    """
    Trained on the cheapest derivation of each form, whose likelihood bounds that of the form from below.

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
    beam_size : `int`, optional (default = `5`)
    metric_beam_size : `int`, optional (default = `beam_size`)
        The beam for the metrics; 1 makes validating after each epoch cheap.
    max_insertions : `int`, optional (default = `40`)
        A form that needs more has probability zero and is left out of the loss.
    max_derivations : `int`, optional (default = `64`)
        p(f | ℓ, m) is the sum over this many derivations, the cheapest ones, of each reading of the form. It is nearly
        all that of the cheapest, which is what is trained.
    casing : `bool`, optional (default = `True`)
        Whether initial capitals are chosen apart; if not, they are characters like any other.
    target_namespace : `str`, optional (default = `"characters"`)
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
        beam_size: int = 5,
        metric_beam_size: Optional[int] = None,
        max_insertions: int = 40,
        max_derivations: int = 64,
        casing: bool = True,
        target_namespace: str = "characters",
        initializer: Optional[InitializerApplicator] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        self._moves = EditMoves(vocab, target_namespace, max_insertions)
        self._lemma_embedder = lemma_embedder
        self._tag_embedder = tag_embedder
        self._encoder = encoder
        self._decoder = decoder
        self._action_embedder = Embedding(action_dim, self._moves.num_actions)
        check_dimensions_match(
            lemma_embedder.get_output_dim() + tag_embedder.get_output_dim(),
            encoder.get_input_dim(),
            "lemma and tag embedding together",
            "encoder input",
        )
        self._output = torch.nn.Linear(decoder.get_output_dim(), self._moves.num_actions)
        # Copies, before it has learnt when not to.
        torch.nn.init.zeros_(self._output.bias)
        torch.nn.init.constant_(self._output.bias[self._moves.copy], COPY_BIAS)
        self._casing = torch.nn.Linear(tag_embedder.get_output_dim(), len(Casing))
        self._dropout = ByteDropout(dropout)
        self._beam_size = beam_size
        self._metric_beam_size = metric_beam_size
        self._max_derivations = max_derivations
        self._with_casing = casing
        # Where the alphabet has the letter, it is the capital of i.
        self._dotted = DOTTED_CAPITAL in vocab.get_token_to_index_vocabulary(target_namespace)
        self._unknown_part = vocab.get_token_index(vocab._oov_token, TAG_PARTS)
        if initializer is not None:
            initializer(self)

    def answer(
        self,
        lemma: TextFieldTensors,
        tag: TextFieldTensors,
        form: Optional[TextFieldTensors],
        strings: Sequence[Strings],
    ) -> Answer:
        """The losses are of casing and cheapest derivation; actions are made from the strings, not from `form`."""
        encoded = self._encode(lemma, tag)
        return Answer(
            losses=None if form is None else -self._training_log_probs(encoded, strings),
            search=lambda: self._search(encoded, strings, self.metric_beam_size, TOP),
        )

    @property
    def beam_size(self) -> Optional[int]:
        return self._beam_size

    @beam_size.setter
    def beam_size(self, width: int) -> None:
        self._beam_size = width

    def inflect(self, instances: Sequence[Instance], n_best: int = 1) -> List[Candidates]:
        """
        By beam search over actions, as wide as `n_best` at least. Log-probabilities are sums over the derivations
        that the beam found, which `log_prob` exceeds by what it did not find; the order is the `ranker`'s.
        """
        width = max(n_best, self._beam_size)
        return self._in_batches(
            instances, lambda encoded, strings: self._search(encoded, strings, width, n_best)
        )

    def sample(self, instances: Sequence[Instance], temperature: float = 1.0) -> List[str]:
        """By ancestral sampling, casing and each action raised to 1/`temperature`."""
        return self._in_batches(
            instances, lambda encoded, strings: self._samples(encoded, strings, temperature)
        )

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        """
        -inf where the form has a character that is neither in the vocabulary nor in the lemma. Exact unless
        a form has more than `max_derivations` derivations, whose cheapest then count.
        """
        return self._in_batches(
            instances,
            lambda encoded, strings: self._form_log_probs(
                encoded,
                range(len(strings)),
                [one["lemma"] for one in strings],
                [one["form"] for one in strings],
            ),
        )

    # The network

    def _encode(self, lemma: TextFieldTensors, tag: TextFieldTensors) -> Encoded:
        parts_mask = get_text_field_mask(tag)
        parts_mask &= get_token_ids_from_text_field_tensors(tag) != self._unknown_part
        parts = self._tag_embedder(tag) * parts_mask.unsqueeze(-1)
        whole_tag = self._dropout(parts.sum(dim=1))
        characters = self._dropout(self._lemma_embedder(lemma))
        beside = whole_tag.unsqueeze(1).expand(-1, characters.size(1), -1)
        mask = get_text_field_mask(lemma)
        memory = self._encoder(torch.cat([characters, beside], dim=-1), mask)
        return Encoded(
            memory=self._dropout(memory),
            characters=get_token_ids_from_text_field_tensors(lemma),
            end=mask.sum(dim=1) - 1,
            tag=whole_tag,
            parts=self._dropout(parts),
            parts_mask=parts_mask,
        )

    def _casing_log_probs(self, encoded: Encoded) -> torch.Tensor:
        """
        Shape `(batch_size, 2)`; of lemmas whose forms have a casing to choose. What the tag's embedding
        learns, it learns from the actions alone.
        """
        return torch.log_softmax(self._casing(encoded.tag.detach()), dim=-1)

    def _action_log_probs(self, encoded: Encoded, steps: Steps) -> torch.Tensor:
        """The log-distribution of the action of each step; shape `(batch_size, steps, num_actions)`."""
        pointers = steps.pointers
        memory = encoded.memory.gather(
            1, pointers.unsqueeze(-1).expand(-1, -1, encoded.memory.size(-1))
        )
        embedded = self._dropout(self._action_embedder(steps.previous))
        hidden = self._decoder(embedded, memory, encoded.tag, encoded.parts, encoded.parts_mask)
        current = encoded.characters.gather(1, pointers)
        at_end = pointers >= encoded.end.unsqueeze(1)
        return self._log_probs(hidden, steps.previous, steps.insertions, current, at_end)

    def _log_probs(
        self,
        hidden: torch.Tensor,
        previous: torch.Tensor,
        insertions: torch.Tensor,
        current: torch.Tensor,
        at_end: torch.Tensor,
    ) -> torch.Tensor:
        """
        The log-distribution of the next action, shape `(..., num_actions)`, from what the decoder computed, the
        action before, how many insertions there were, the character at the pointer and whether that is END.
        """
        forbidden = self._moves.forbidden(previous, insertions, current, at_end)
        return torch.log_softmax(self._output(hidden).masked_fill(forbidden, -torch.inf), dim=-1)

    # Scores

    def _training_log_probs(self, encoded: Encoded, strings: Sequence[Strings]) -> torch.Tensor:
        """Of casing and cheapest derivation; shape `(batch_size,)`."""
        chosen = [self._likely_reading(one["form"], one["lemma"]) for one in strings]
        actions = [
            edit_actions(one["lemma"], reading.base)
            for one, reading in zip(strings, chosen, strict=True)
        ]
        casings = torch.tensor([reading.casing for reading in chosen], device=encoded.end.device)
        casing = self._casing_log_probs(encoded).gather(1, casings.unsqueeze(1)).squeeze(1)
        has_choice = [self._has_casing(one["lemma"]) for one in strings]
        casing = casing * torch.tensor(has_choice, device=casing.device)
        # What has probability zero is left out: no gradient could change it.
        log_probs = self._step_log_probs(encoded, actions)
        return casing + log_probs.masked_fill(log_probs == -torch.inf, 0.0).sum(dim=1)

    def _form_log_probs(
        self, encoded: Encoded, rows: Sequence[int], lemmas: Sequence[str], forms: Sequence[str]
    ) -> List[float]:
        """log p of forms, each of the row of `encoded` that `rows` names."""
        casing_log_probs = self._casing_log_probs(encoded).tolist()
        owners: List[int] = []
        actions: List[Actions] = []
        casings: List[float] = []
        for owner, (row, lemma, form) in enumerate(zip(rows, lemmas, forms, strict=True)):
            for reading in self._readings(form, lemma):
                for derivation in cheapest_derivations(lemma, reading.base, self._max_derivations):
                    owners.append(owner)
                    actions.append(derivation)
                    choice = self._has_casing(lemma)
                    casings.append(casing_log_probs[row][reading.casing] if choice else 0.0)
        totals = torch.full((len(forms),), -torch.inf)
        order = sorted(range(len(actions)), key=lambda index: len(actions[index]))
        for start in range(0, len(order), DECODING_BATCH_SIZE):
            chunk = order[start : start + DECODING_BATCH_SIZE]
            index = torch.tensor([rows[owners[one]] for one in chunk], device=encoded.end.device)
            steps = self._step_log_probs(encoded.rows(index), [actions[one] for one in chunk])
            for one, score in zip(chunk, steps.sum(dim=1).tolist(), strict=True):
                total = totals[owners[one]]
                totals[owners[one]] = torch.logaddexp(total, torch.tensor(score + casings[one]))
        return totals.tolist()

    def _step_log_probs(self, encoded: Encoded, actions: Sequence[Actions]) -> torch.Tensor:
        """log p of each action and of the end, zero on padding; shape `(batch_size, steps)`."""
        steps = self._moves.steps(actions)
        log_probs = self._action_log_probs(encoded, steps)
        chosen = log_probs.gather(2, steps.targets.unsqueeze(2)).squeeze(2)
        return chosen.masked_fill(steps.targets == self._moves.start, 0.0)

    # Decoding

    def _prepare(self, encoded: Encoded) -> Prepared:
        return self._decoder.prepare(
            self._action_embedder.weight,
            encoded.memory,
            encoded.tag,
            encoded.parts,
            encoded.parts_mask,
        )

    def _advance(
        self, encoded: Encoded, prepared: Prepared, actions: torch.Tensor, state: StateType
    ) -> Tuple[torch.Tensor, StateType]:
        """The log-distribution after one more action, and the state. All shapes begin with `(group_size,)`."""
        rows = state["row"]
        ends = encoded.end[rows]
        pointers = torch.minimum(state["pointer"] + self._moves.moves_pointer(actions), ends)
        insertions = state["insertions"] + self._moves.inserts(actions)
        hidden, recurrent = self._decoder.step(
            prepared, rows, actions, pointers, state["recurrent"]
        )
        log_probs = self._log_probs(
            hidden, actions, insertions, encoded.characters[rows, pointers], pointers >= ends
        )
        return log_probs, {
            "row": rows,
            "pointer": pointers,
            "insertions": insertions,
            "recurrent": recurrent,
        }

    def _initial_state(self, encoded: Encoded) -> StateType:
        rows = torch.arange(encoded.end.size(0), device=encoded.end.device)
        return {
            "row": rows,
            "pointer": torch.ones_like(rows),
            "insertions": torch.zeros_like(rows),
            "recurrent": self._decoder.initial_state(rows.size(0)),
        }

    def _max_steps(self, encoded: Encoded) -> int:
        return int(encoded.end.max()) + self._moves.max_insertions

    def _search(
        self, encoded: Encoded, strings: Sequence[Strings], width: int, n_best: int
    ) -> List[Candidates]:
        """Up to `n_best` forms that the beam found, each with log p of all its derivations there."""
        if width == 1:
            best, scores = self._one_path(encoded, lambda log_probs: log_probs.argmax(dim=-1))
            predictions, scores = best.unsqueeze(1), scores.unsqueeze(1)
        else:
            predictions, scores = self._beam(encoded, width)
        casing_log_probs = self._casing_log_probs(encoded).tolist()
        found = [
            self._cased(one["lemma"], *decoded)
            for one, *decoded in zip(
                strings, predictions.tolist(), scores.tolist(), casing_log_probs, strict=True
            )
        ]
        return [candidates[:n_best] for candidates in self._ranked(found)]

    def _beam(self, encoded: Encoded, width: int) -> Tuple[torch.Tensor, torch.Tensor]:
        """Actions, shape `(batch_size, width, steps)`, and log p of each path, shape `(batch_size, width)`."""
        search = BeamSearch(
            end_index=self._moves.end,
            max_steps=self._max_steps(encoded),
            beam_size=min(width, self._output.out_features),
        )
        prepared = self._prepare(encoded)

        def advance(
            actions: torch.Tensor, state: StateType, time_step: int
        ) -> Tuple[torch.Tensor, StateType]:
            # More than half of a beam has ended before its last path does; the search does not look at what follows.
            going = (actions != self._moves.end).nonzero().squeeze(1)
            rest = {name: value.index_select(0, going) for name, value in state.items()}
            log_probs, rest = self._advance(encoded, prepared, actions[going], rest)
            everything = log_probs.new_zeros(len(actions), log_probs.size(1))
            return everything.index_copy(0, going, log_probs), {
                name: value.index_copy(0, going, rest[name]) for name, value in state.items()
            }

        return search.search(
            torch.full_like(encoded.end, self._moves.start), self._initial_state(encoded), advance
        )

    def _one_path(
        self, encoded: Encoded, choose: Callable[[torch.Tensor], torch.Tensor]
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        """
        From the log-distributions of the next action, shape `(group_size, num_actions)`, `choose` gives the next
        actions. Returns all, shape `(batch_size, steps)`, and log p of each path. What has ended is dropped, since
        short words end long before the longest.
        """
        prepared = self._prepare(encoded)
        state = self._initial_state(encoded)
        actions = torch.full_like(encoded.end, self._moves.start)
        scores = self._output.weight.new_zeros(len(actions))
        path: List[torch.Tensor] = []
        while len(actions):
            log_probs, state = self._advance(encoded, prepared, actions, state)
            actions = choose(log_probs)
            rows = state["row"]
            scores[rows] += log_probs.gather(1, actions.unsqueeze(1)).squeeze(1)
            path.append(torch.full_like(encoded.end, self._moves.end).scatter(0, rows, actions))
            going = (actions != self._moves.end).nonzero().squeeze(1)
            if len(going) < len(actions):
                actions = actions[going]
                state = {name: value.index_select(0, going) for name, value in state.items()}
        return torch.stack(path, dim=1), scores

    def _cased(
        self, lemma: str, rows: List[List[int]], scores: List[float], casings: List[float]
    ) -> Candidates:
        """Distinct forms of derivations in either casing, each with all its derivations' score."""
        # A beam wider than the number of derivations fills up with impossible ones.
        impossible = torch.finfo(torch.float).min
        options = Casing if self._has_casing(lemma) else [Casing.AS_WRITTEN]
        found: Dict[str, float] = {}
        for row, score in zip(rows, scores, strict=True):
            if score <= impossible:
                continue
            base = self._moves.written(row, lemma)
            for casing in options:
                form = apply_casing(casing, base, self._dotted)
                cased = score + (casings[casing] if len(options) > 1 else 0.0)
                found[form] = log_add(cased, found.get(form, -math.inf))
        return list(found.items())

    def _samples(
        self, encoded: Encoded, strings: Sequence[Strings], temperature: float
    ) -> List[str]:
        def drawn(log_probs: torch.Tensor) -> torch.Tensor:
            probs = torch.softmax(log_probs / temperature, dim=-1)
            return torch.multinomial(probs, 1).squeeze(1)

        path, _ = self._one_path(encoded, drawn)
        casings = drawn(self._casing_log_probs(encoded)).tolist()
        return [
            apply_casing(
                Casing(casing if self._has_casing(one["lemma"]) else 0),
                self._moves.written(row, one["lemma"]),
                self._dotted,
            )
            for one, row, casing in zip(strings, path.tolist(), casings, strict=True)
        ]

    def _has_casing(self, lemma: str) -> bool:
        return self._with_casing and can_be_capitalized(lemma)

    def _readings(self, form: str, lemma: str) -> List[Reading]:
        if self._has_casing(lemma):
            return readings(form, lemma, self._dotted)
        return [Reading(Casing.AS_WRITTEN, form)]

    def _likely_reading(self, form: str, lemma: str) -> Reading:
        if self._has_casing(lemma):
            return likely_reading(form, lemma, self._dotted)
        return Reading(Casing.AS_WRITTEN, form)

    def _in_batches(
        self, instances: Sequence[Instance], compute: Callable[[Encoded, List[Strings]], List[Any]]
    ) -> List[Any]:
        # Forms are left out: a batch cannot hold instances with and without.
        sources = [
            Instance({name: one[name] for name in ("lemma", "tag", "metadata")})
            for one in instances
        ]
        return in_batches(
            self,
            sources,
            lambda tensors: compute(
                self._encode(tensors["lemma"], tensors["tag"]), tensors["metadata"]
            ),
            _lemma_length,
            DECODING_BATCH_SIZE,
        )


def _lemma_length(instance: Instance) -> int:
    lemma, strings = instance["lemma"], instance["metadata"]
    assert isinstance(lemma, TextField)
    assert isinstance(strings, MetadataField)
    return lemma.sequence_length()
