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
from typing import Any, Callable, Dict, List, Optional, Sequence, cast

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.data.fields import MetadataField, TextField
from allennlp.models import Model

from allennlp_svae.data.casing import Casing
from allennlp_svae.data.edit_actions import Actions, cheapest_derivations, edit_actions
from allennlp_svae.dataset_readers.inflections import CHARACTERS, without_form
from allennlp_svae.models.composed import Composed
from allennlp_svae.models.inflection_model import Answer, InflectionModel, Strings
from allennlp_svae.modules.batching import in_batches
from allennlp_svae.modules.candidates import Candidates, log_add
from allennlp_svae.modules.derivations import Derivations, mean
from allennlp_svae.modules.edit_moves import EditMoves
from allennlp_svae.modules.edit_network import EditNetwork
from allennlp_svae.modules.form_casing import FormCasing
from allennlp_svae.training.inflection_metrics import TOP

DECODING_BATCH_SIZE = 512


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
        self._casing = FormCasing(vocab, casing)

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
        derivations = self._derivations(lemma, tag)
        return Answer(
            losses=None if form is None else -self._training_log_probs(derivations, strings),
            search=lambda: self._search(derivations, strings, self.metric_beam_size, TOP),
        )

    def components(self) -> Dict[str, Model]:
        """For each network a transducer of it alone, `network_0` and so on."""
        return {
            f"network_{number}": EditTransducer(
                self.vocab,
                [network],
                max_insertions=self._moves.max_insertions,
                max_derivations=self._max_derivations,
                casing=self._casing.is_chosen,
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
            lambda derivations, strings: self._search(derivations, strings, width, n_best),
            num_networks=1 if width == 1 else None,
        )

    def sample(self, instances: Sequence[Instance], temperature: float = 1.0) -> List[str]:
        """By ancestral sampling, casing and each action raised to 1/`temperature`."""
        return self._in_batches(
            instances, lambda derivations, strings: self._samples(derivations, strings, temperature)
        )

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        """
        -inf where the form has a character that is neither in the vocabulary nor in the lemma. Exact unless
        a form has more than `max_derivations` derivations, whose cheapest then count.
        """
        return self._in_batches(instances, self._form_log_probs)

    @property
    def networks(self) -> List[EditNetwork]:
        return cast(List[EditNetwork], list(self._networks))

    # Scores

    def _training_log_probs(
        self, derivations: Derivations, strings: Sequence[Strings]
    ) -> torch.Tensor:
        """Of casing and cheapest derivation, the mean of the networks; shape `(batch_size,)`."""
        chosen = [self._casing.likely_reading(one["form"], one["lemma"]) for one in strings]
        actions = [
            edit_actions(one["lemma"], reading.base)
            for one, reading in zip(strings, chosen, strict=True)
        ]
        casings = torch.tensor(
            [[reading.casing] for reading in chosen], device=derivations.end.device
        )
        has_choice = [self._casing.has_choice(one["lemma"]) for one in strings]
        choices = torch.tensor(has_choice, device=derivations.end.device)
        steps = self._moves.steps(actions)
        of_each: List[torch.Tensor] = []
        for alone in derivations.of_each():
            casing = alone.casing_log_probs().gather(1, casings).squeeze(1) * choices
            # What has probability zero is left out: no gradient could change it.
            log_probs = alone.step_log_probs(steps)
            of_each.append(casing + log_probs.masked_fill(log_probs == -torch.inf, 0.0).sum(dim=1))
        return mean(of_each)

    def _form_log_probs(self, derivations: Derivations, strings: Sequence[Strings]) -> List[float]:
        casing_log_probs = derivations.casing_log_probs().tolist()
        rows: List[int] = []
        actions: List[Actions] = []
        casings: List[float] = []
        for row, one in enumerate(strings):
            lemma = one["lemma"]
            for reading in self._casing.readings(one["form"], lemma):
                for derivation in cheapest_derivations(lemma, reading.base, self._max_derivations):
                    rows.append(row)
                    actions.append(derivation)
                    choice = self._casing.has_choice(lemma)
                    casings.append(casing_log_probs[row][reading.casing] if choice else 0.0)
        totals = [-math.inf] * len(strings)
        order = sorted(range(len(actions)), key=lambda number: len(actions[number]))
        for start in range(0, len(order), DECODING_BATCH_SIZE):
            chunk = order[start : start + DECODING_BATCH_SIZE]
            index = torch.tensor([rows[number] for number in chunk], device=derivations.end.device)
            steps = self._moves.steps([actions[number] for number in chunk])
            log_probs = derivations.rows(index).step_log_probs(steps)
            for number, score in zip(chunk, log_probs.sum(dim=1).tolist(), strict=True):
                row = rows[number]
                totals[row] = log_add(totals[row], score + casings[number])
        return totals

    # Decoding

    def _search(
        self, derivations: Derivations, strings: Sequence[Strings], width: int, n_best: int
    ) -> List[Candidates]:
        """Up to `n_best` forms that the beam found, each with log p of all its derivations there."""
        if width == 1:
            derivations = derivations.of_each()[0]
            best, scores = derivations.one_path(lambda log_probs: log_probs.argmax(dim=-1))
            predictions, scores = best.unsqueeze(1), scores.unsqueeze(1)
        else:
            predictions, scores = derivations.beam(width)
        casing_log_probs = derivations.casing_log_probs().tolist()
        found = [
            self._cased(one["lemma"], *decoded)
            for one, *decoded in zip(
                strings, predictions.tolist(), scores.tolist(), casing_log_probs, strict=True
            )
        ]
        return [candidates[:n_best] for candidates in self._ranked(found)]

    def _cased(
        self, lemma: str, rows: List[List[int]], scores: List[float], casings: List[float]
    ) -> Candidates:
        """Distinct forms of derivations in either casing, each with all its derivations' score."""
        # A beam wider than the number of derivations fills up with impossible ones.
        impossible = torch.finfo(torch.float).min
        options = self._casing.options(lemma)
        found: Dict[str, float] = {}
        for row, score in zip(rows, scores, strict=True):
            if score <= impossible:
                continue
            base = self._moves.written(row, lemma)
            for casing in options:
                form = self._casing.apply(casing, base)
                cased = score + (casings[casing] if len(options) > 1 else 0.0)
                found[form] = log_add(cased, found.get(form, -math.inf))
        return list(found.items())

    def _samples(
        self, derivations: Derivations, strings: Sequence[Strings], temperature: float
    ) -> List[str]:
        def drawn(log_probs: torch.Tensor) -> torch.Tensor:
            probs = torch.softmax(log_probs / temperature, dim=-1)
            return torch.multinomial(probs, 1).squeeze(1)

        path, _ = derivations.one_path(drawn)
        casings = drawn(derivations.casing_log_probs()).tolist()
        return [
            self._casing.apply(
                Casing(casing if self._casing.has_choice(one["lemma"]) else 0),
                self._moves.written(row, one["lemma"]),
            )
            for one, row, casing in zip(strings, path.tolist(), casings, strict=True)
        ]

    def _derivations(
        self, lemma: TextFieldTensors, tag: TextFieldTensors, num_networks: Optional[int] = None
    ) -> Derivations:
        """As so many of the networks have them, or all."""
        return Derivations.of(self._moves, self.networks[:num_networks], lemma, tag)

    def _in_batches(
        self,
        instances: Sequence[Instance],
        compute: Callable[[Derivations, List[Strings]], List[Any]],
        num_networks: Optional[int] = None,
    ) -> List[Any]:
        return in_batches(
            self,
            list(map(without_form, instances)),
            lambda tensors: compute(
                self._derivations(tensors["lemma"], tensors["tag"], num_networks),
                tensors["metadata"],
            ),
            _lemma_length,
            DECODING_BATCH_SIZE,
        )


def _lemma_length(instance: Instance) -> int:
    lemma, strings = instance["lemma"], instance["metadata"]
    assert isinstance(lemma, TextField)
    assert isinstance(strings, MetadataField)
    return lemma.sequence_length()
