"""
A hard-monotonic edit transducer: p(f | ℓ, m) by copying, deleting and inserting characters.

    p(f | ℓ, m) = Σ_c p(c | m) Σ_{a writes f̃ from ℓ, c(f̃) = f} Π_t p(a_t | a_<t, ℓ, m)

c is the casing, a the actions of `data/edit_actions.py`. Copying needs no vocabulary: characters never seen
in training are copied like any other. After Makarov and Clematide (2018).

Several networks, each trained by itself, choose together: their scores are averaged, for casings and for each action,

    p(a_t | a_<t, ℓ, m) ∝ Π_k p_k(a_t | a_<t, ℓ, m)^(1/K)

a product of experts (Hinton, 2002) of one step, so that the whole is a distribution as that of one network is.
"""

import math
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, cast

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.data.fields import MetadataField, TextField
from allennlp.models import Model
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
from allennlp_svae.dataset_readers.inflections import CHARACTERS
from allennlp_svae.models.composed import Composed
from allennlp_svae.models.inflection_model import Answer, InflectionModel, Strings
from allennlp_svae.modules.batching import in_batches
from allennlp_svae.modules.candidates import Candidates, log_add
from allennlp_svae.modules.edit_decoder import Prepared
from allennlp_svae.modules.edit_moves import EditMoves, Steps
from allennlp_svae.modules.edit_network import EditNetwork, Encoded
from allennlp_svae.training.inflection_metrics import TOP

DECODING_BATCH_SIZE = 512


class Sources(NamedTuple):
    """Lemmas and tags of a batch, ready to be decoded."""

    characters: torch.Tensor  # (batch_size, lemma_length + 2), ids
    end: torch.Tensor  # (batch_size,), the place after the lemma's last character
    encoded: List[Tuple[EditNetwork, Encoded]]  # by each network that is asked

    def rows(self, index: torch.Tensor) -> "Sources":
        return Sources(
            self.characters.index_select(0, index),
            self.end.index_select(0, index),
            [(network, encoded.rows(index)) for network, encoded in self.encoded],
        )

    def for_each(self) -> List["Sources"]:
        """For each of the networks alone."""
        return [self._replace(encoded=[one]) for one in self.encoded]


@Model.register("edit_transducer")
class EditTransducer(InflectionModel, Composed):
    """
    Trained on the cheapest derivation of each form, whose likelihood bounds that of the form from below.

    # Parameters

    vocab : `Vocabulary`
    networks : `List[EditNetwork]`
        One, or several of the same alphabet. Trained as one model each learns by itself from every batch; the trainer
        `components` trains them side by side.
    beam_size : `int`, optional (default = `5`)
        With a beam of one, the first network is asked alone.
    metric_beam_size : `int`, optional (default = `beam_size`)
        The beam for the metrics; 1 makes validating after each epoch cheap.
    max_insertions : `int`, optional (default = `40`)
        A form that needs more has probability zero and is left out of the loss.
    max_derivations : `int`, optional (default = `64`)
        p(f | ℓ, m) is the sum over this many derivations, the cheapest ones, of each reading of the form. It is nearly
        all that of the cheapest, which is what is trained.
    casing : `bool`, optional (default = `True`)
        Whether initial capitals are chosen apart; if not, they are characters like any other.

    # Raises

    `ConfigurationError` where there is no network.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        networks: List[EditNetwork],
        beam_size: int = 5,
        metric_beam_size: Optional[int] = None,
        max_insertions: int = 40,
        max_derivations: int = 64,
        casing: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        if not networks:
            raise ConfigurationError("`networks` of edit_transducer must be one at least.")
        self._moves = EditMoves(vocab, CHARACTERS, max_insertions)
        self._networks = torch.nn.ModuleList(networks)
        self._beam_size = beam_size
        self._metric_beam_size = metric_beam_size
        self._max_derivations = max_derivations
        self._with_casing = casing
        # Where the alphabet has the letter, it is the capital of i.
        self._dotted = DOTTED_CAPITAL in vocab.get_token_to_index_vocabulary(CHARACTERS)

    def answer(
        self,
        lemma: TextFieldTensors,
        tag: TextFieldTensors,
        form: Optional[TextFieldTensors],
        strings: Sequence[Strings],
    ) -> Answer:
        """
        The losses are of casing and cheapest derivation, the mean of the networks' own; actions are made from the
        strings, not from `form`.
        """
        sources = self._encode(lemma, tag)
        return Answer(
            losses=None if form is None else -self._training_log_probs(sources, strings),
            search=lambda: self._search(sources, strings, self.metric_beam_size, TOP),
        )

    def components(self) -> Dict[str, Model]:
        """For each network a transducer of it alone, `network_0` and so on."""
        return {
            f"network_{number}": EditTransducer(
                self.vocab,
                [network],
                max_insertions=self._moves.max_insertions,
                max_derivations=self._max_derivations,
                casing=self._with_casing,
            )
            for number, network in enumerate(self.networks)
        }

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
            instances,
            lambda sources, strings: self._search(sources, strings, width, n_best),
            num_networks=1 if width == 1 else None,
        )

    def sample(self, instances: Sequence[Instance], temperature: float = 1.0) -> List[str]:
        """By ancestral sampling, casing and each action raised to 1/`temperature`."""
        return self._in_batches(
            instances, lambda sources, strings: self._samples(sources, strings, temperature)
        )

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        """
        -inf where the form has a character that is neither in the vocabulary nor in the lemma. Exact unless
        a form has more than `max_derivations` derivations, whose cheapest then count.
        """
        return self._in_batches(
            instances,
            lambda sources, strings: self._form_log_probs(
                sources,
                range(len(strings)),
                [one["lemma"] for one in strings],
                [one["form"] for one in strings],
            ),
        )

    # The networks

    def _encode(
        self, lemma: TextFieldTensors, tag: TextFieldTensors, num_networks: Optional[int] = None
    ) -> Sources:
        """By so many of the networks, or all."""
        return Sources(
            characters=get_token_ids_from_text_field_tensors(lemma),
            end=get_text_field_mask(lemma).sum(dim=1) - 1,
            encoded=[
                (network, network.encode(lemma, tag)) for network in self.networks[:num_networks]
            ],
        )

    @property
    def networks(self) -> List[EditNetwork]:
        return cast(List[EditNetwork], list(self._networks))

    def _casing_log_probs(self, sources: Sources) -> torch.Tensor:
        """Shape `(batch_size, 2)`; of lemmas whose forms have a casing to choose."""
        scores = [network.casing_scores(encoded) for network, encoded in sources.encoded]
        return torch.log_softmax(_mean(scores), dim=-1)

    def _action_log_probs(self, sources: Sources, steps: Steps) -> torch.Tensor:
        """The log-distribution of the action of each step; shape `(batch_size, steps, num_actions)`."""
        scores = [network.action_scores(encoded, steps) for network, encoded in sources.encoded]
        current = sources.characters.gather(1, steps.pointers)
        at_end = steps.pointers >= sources.end.unsqueeze(1)
        return self._log_probs(_mean(scores), steps.previous, steps.insertions, current, at_end)

    def _log_probs(
        self,
        scores: torch.Tensor,
        previous: torch.Tensor,
        insertions: torch.Tensor,
        current: torch.Tensor,
        at_end: torch.Tensor,
    ) -> torch.Tensor:
        """
        The log-distribution of the next action, shape `(..., num_actions)`, from its scores, the action before, how
        many insertions there were, the character at the pointer and whether that is END.
        """
        forbidden = self._moves.forbidden(previous, insertions, current, at_end)
        return torch.log_softmax(scores.masked_fill(forbidden, -torch.inf), dim=-1)

    # Scores

    def _training_log_probs(self, sources: Sources, strings: Sequence[Strings]) -> torch.Tensor:
        """Of casing and cheapest derivation, the mean of the networks; shape `(batch_size,)`."""
        chosen = [self._likely_reading(one["form"], one["lemma"]) for one in strings]
        actions = [
            edit_actions(one["lemma"], reading.base)
            for one, reading in zip(strings, chosen, strict=True)
        ]
        casings = torch.tensor([[reading.casing] for reading in chosen], device=sources.end.device)
        has_choice = [self._has_casing(one["lemma"]) for one in strings]
        choices = torch.tensor(has_choice, device=sources.end.device)
        steps = self._moves.steps(actions)
        of_each: List[torch.Tensor] = []
        for alone in sources.for_each():
            casing = self._casing_log_probs(alone).gather(1, casings).squeeze(1) * choices
            # What has probability zero is left out: no gradient could change it.
            log_probs = self._step_log_probs(alone, steps)
            of_each.append(casing + log_probs.masked_fill(log_probs == -torch.inf, 0.0).sum(dim=1))
        return _mean(of_each)

    def _form_log_probs(
        self, sources: Sources, rows: Sequence[int], lemmas: Sequence[str], forms: Sequence[str]
    ) -> List[float]:
        """log p of forms, each of the row of `sources` that `rows` names."""
        casing_log_probs = self._casing_log_probs(sources).tolist()
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
            index = torch.tensor([rows[owners[one]] for one in chunk], device=sources.end.device)
            steps = self._moves.steps([actions[one] for one in chunk])
            log_probs = self._step_log_probs(sources.rows(index), steps)
            for one, score in zip(chunk, log_probs.sum(dim=1).tolist(), strict=True):
                total = totals[owners[one]]
                totals[owners[one]] = torch.logaddexp(total, torch.tensor(score + casings[one]))
        return totals.tolist()

    def _step_log_probs(self, sources: Sources, steps: Steps) -> torch.Tensor:
        """log p of each action and of the end, zero on padding; shape `(batch_size, steps)`."""
        log_probs = self._action_log_probs(sources, steps)
        chosen = log_probs.gather(2, steps.targets.unsqueeze(2)).squeeze(2)
        return chosen.masked_fill(steps.targets == self._moves.start, 0.0)

    # Decoding

    def _prepare(self, sources: Sources) -> List[Prepared]:
        return [network.prepare(encoded) for network, encoded in sources.encoded]

    def _advance(
        self, sources: Sources, prepared: List[Prepared], actions: torch.Tensor, state: StateType
    ) -> Tuple[torch.Tensor, StateType]:
        """The log-distribution after one more action, and the state. All shapes begin with `(group_size,)`."""
        rows = state["row"]
        ends = sources.end[rows]
        pointers = torch.minimum(state["pointer"] + self._moves.moves_pointer(actions), ends)
        insertions = state["insertions"] + self._moves.inserts(actions)
        following = {"row": rows, "pointer": pointers, "insertions": insertions}
        scores: List[torch.Tensor] = []
        for number, (network, _) in enumerate(sources.encoded):
            name = f"recurrent_{number}"
            of_network, following[name] = network.step(
                prepared[number], rows, actions, pointers, state[name]
            )
            scores.append(of_network)
        current = sources.characters[rows, pointers]
        log_probs = self._log_probs(_mean(scores), actions, insertions, current, pointers >= ends)
        return log_probs, following

    def _initial_state(self, sources: Sources) -> StateType:
        rows = torch.arange(sources.end.size(0), device=sources.end.device)
        return {
            "row": rows,
            "pointer": torch.ones_like(rows),
            "insertions": torch.zeros_like(rows),
            **{
                f"recurrent_{number}": network.initial_state(rows.size(0))
                for number, (network, _) in enumerate(sources.encoded)
            },
        }

    def _max_steps(self, sources: Sources) -> int:
        return int(sources.end.max()) + self._moves.max_insertions

    def _search(
        self, sources: Sources, strings: Sequence[Strings], width: int, n_best: int
    ) -> List[Candidates]:
        """Up to `n_best` forms that the beam found, each with log p of all its derivations there."""
        if width == 1:
            sources = sources.for_each()[0]
            best, scores = self._one_path(sources, lambda log_probs: log_probs.argmax(dim=-1))
            predictions, scores = best.unsqueeze(1), scores.unsqueeze(1)
        else:
            predictions, scores = self._beam(sources, width)
        casing_log_probs = self._casing_log_probs(sources).tolist()
        found = [
            self._cased(one["lemma"], *decoded)
            for one, *decoded in zip(
                strings, predictions.tolist(), scores.tolist(), casing_log_probs, strict=True
            )
        ]
        return [candidates[:n_best] for candidates in self._ranked(found)]

    def _beam(self, sources: Sources, width: int) -> Tuple[torch.Tensor, torch.Tensor]:
        """Actions, shape `(batch_size, width, steps)`, and log p of each path, shape `(batch_size, width)`."""
        search = BeamSearch(
            end_index=self._moves.end,
            max_steps=self._max_steps(sources),
            beam_size=min(width, self._moves.num_actions),
        )
        prepared = self._prepare(sources)

        def advance(
            actions: torch.Tensor, state: StateType, time_step: int
        ) -> Tuple[torch.Tensor, StateType]:
            # More than half of a beam has ended before its last path does; the search does not look at what follows.
            going = (actions != self._moves.end).nonzero().squeeze(1)
            rest = {name: value.index_select(0, going) for name, value in state.items()}
            log_probs, rest = self._advance(sources, prepared, actions[going], rest)
            everything = log_probs.new_zeros(len(actions), log_probs.size(1))
            return everything.index_copy(0, going, log_probs), {
                name: value.index_copy(0, going, rest[name]) for name, value in state.items()
            }

        return search.search(
            torch.full_like(sources.end, self._moves.start), self._initial_state(sources), advance
        )

    def _one_path(
        self, sources: Sources, choose: Callable[[torch.Tensor], torch.Tensor]
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        """
        From the log-distributions of the next action, shape `(group_size, num_actions)`, `choose` gives the next
        actions. Returns all, shape `(batch_size, steps)`, and log p of each path. What has ended is dropped, since
        short words end long before the longest.
        """
        prepared = self._prepare(sources)
        state = self._initial_state(sources)
        actions = torch.full_like(sources.end, self._moves.start)
        scores = state["recurrent_0"].new_zeros(len(actions))
        path: List[torch.Tensor] = []
        while len(actions):
            log_probs, state = self._advance(sources, prepared, actions, state)
            actions = choose(log_probs)
            rows = state["row"]
            scores[rows] += log_probs.gather(1, actions.unsqueeze(1)).squeeze(1)
            path.append(torch.full_like(sources.end, self._moves.end).scatter(0, rows, actions))
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
        self, sources: Sources, strings: Sequence[Strings], temperature: float
    ) -> List[str]:
        def drawn(log_probs: torch.Tensor) -> torch.Tensor:
            probs = torch.softmax(log_probs / temperature, dim=-1)
            return torch.multinomial(probs, 1).squeeze(1)

        path, _ = self._one_path(sources, drawn)
        casings = drawn(self._casing_log_probs(sources)).tolist()
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
        self,
        instances: Sequence[Instance],
        compute: Callable[[Sources, List[Strings]], List[Any]],
        num_networks: Optional[int] = None,
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
                self._encode(tensors["lemma"], tensors["tag"], num_networks), tensors["metadata"]
            ),
            _lemma_length,
            DECODING_BATCH_SIZE,
        )


def _mean(tensors: List[torch.Tensor]) -> torch.Tensor:
    return tensors[0] if len(tensors) == 1 else torch.stack(tensors).mean(dim=0)


def _lemma_length(instance: Instance) -> int:
    lemma, strings = instance["lemma"], instance["metadata"]
    assert isinstance(lemma, TextField)
    assert isinstance(strings, MetadataField)
    return lemma.sequence_length()
