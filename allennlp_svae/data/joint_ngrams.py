"""
How forms and lemmas of a language belong together: an n-gram model of how one is edited into the other.

Pair and label are one string, from right to left, since it is the form's end that tells most:

    Häuser, haus, NOUN;Number=Plur    →    NOUN;Number=Plur  −r −e  s  u  −ä +a  h

Of a deletion each character is a symbol, of an insertion the whole text, and what is copied stands for itself. Joint
n-grams say of a label which pairs go with it, p(f, ℓ | m); of a form and a label, which lemmas can be (cf. Bisani
and Ney, 2008, for letters and sounds). They are counted in a moment, and write what no rule that was seen would: each
edit is a choice of its own.
"""

import math
from functools import lru_cache
from itertools import groupby
from typing import Dict, Iterable, Iterator, List, NamedTuple, Sequence, Tuple

import numpy as np

from allennlp_svae.data.edit_actions import COPY, DELETE, common_prefix, edit_actions
from allennlp_svae.data.joint_beam import Beam, Insertions
from allennlp_svae.data.word_model import END, NONE, WordModel

# Symbols that are no text: of a plane for private use. The first one stands for all that are not known.
_FIRST_SYMBOL = 0xF0000

# Kinds of symbols beside COPY and DELETE.
_INSERT, _LABEL = "<insert>", "<label>"

# How many ends of words to remember the edits of.
_CACHE_SIZE = 100_000

Lemmas = List[Tuple[str, float]]


class JointNgrams:
    """
    # Parameters

    words : `Iterable[Tuple[str, str, str]]`
        A form, its lemma, and a label each. Repetitions do not count.
    order : `int`, optional (default = `6`)
        The length of the longest n-grams, in symbols.

    # Raises

    `ValueError` where there are no words, or n-grams are shorter than two symbols.
    """

    def __init__(self, words: Iterable[Tuple[str, str, str]], order: int = 6) -> None:
        if order < 2:
            raise ValueError(f"order is {order}; what follows what takes 2 at least.")
        self._symbols: Dict[Tuple[str, str], str] = {}
        texts = [self._text(*word) for word in dict.fromkeys(words)]
        self._model = WordModel(texts, order)
        # Many words end alike.
        self._rest = lru_cache(maxsize=_CACHE_SIZE)(self._edits)
        self._deletions = {
            text: self._id(symbol)
            for (kind, text), symbol in self._symbols.items()
            if kind == DELETE
        }
        self._insertions = Insertions(
            self._model,
            {
                self._id(symbol): text
                for (kind, text), symbol in self._symbols.items()
                if kind == _INSERT
            },
        )

    def edits(self, form: str, lemma: str, at_most: int) -> str:
        """The last edits, a character each, from left to right."""
        start = common_prefix(form, lemma)
        copied = "".join(map(_folded, form[max(0, start - at_most) : start]))
        edits = copied + self._rest(form[start:], lemma[start:])
        return edits[max(0, len(edits) - at_most) :]

    def lemmas(
        self, asked: Sequence[Tuple[str, str]], n_best: int, within: float = math.inf
    ) -> List[Lemmas]:
        """
        For each form and label the best distinct lemmas that a search finds, best first, with log p(ℓ | f, m) as if
        there were no others. None where the label is not known. No lemma is empty.

        # Parameters

        asked : `Sequence[Tuple[str, str]]`
        n_best : `int`
            How many at most.
        within : `float`, optional (default = `math.inf`)
            How much less probable than the best they are at most, in nats.
        """
        is_known = [(_LABEL, label) in self._symbols for _, label in asked]
        found = iter(
            self._search([each for each, known in zip(asked, is_known, strict=True) if known])
        )
        return [_n_best(next(found), n_best, within) if known else [] for known in is_known]

    # Symbols

    def _edits(self, form: str, lemma: str) -> str:
        """A character each, from left to right."""
        return "".join(self._symbol(*edit) for edit in _edits(form, lemma))[::-1]

    def _text(self, form: str, lemma: str, label: str) -> str:
        """With symbols for what is new."""
        edits = list(_edits(form, lemma))
        for symbol in ((_LABEL, label), *edits):
            if symbol[0] != COPY:
                self._symbols.setdefault(symbol, chr(_FIRST_SYMBOL + 1 + len(self._symbols)))
        return self._symbol(_LABEL, label) + "".join(self._symbol(*edit) for edit in edits)

    def _symbol(self, kind: str, text: str) -> str:
        return (
            _folded(text) if kind == COPY else self._symbols.get((kind, text), chr(_FIRST_SYMBOL))
        )

    def _id(self, symbol: str) -> int:
        return self._model.ids(symbol)[0]

    # Search

    def _search(self, asked: Sequence[Tuple[str, str]]) -> List[Dict[str, float]]:
        """log p(f, ℓ, m) of the lemmas found, derivations that write the same one together."""
        found: List[Dict[str, float]] = [{} for _ in asked]
        if not asked:
            return found
        forms = self._forms([form for form, _ in asked])
        labels = [self._id(self._symbols[_LABEL, label]) for _, label in asked]
        model = self._model
        log_probs, states = model.extend(model.beginning(len(asked)), np.array(labels))
        beam = Beam(np.arange(len(asked)), log_probs, states, np.full(len(asked), "", object))
        for place in range(max(forms.lengths) + 1):
            beam = self._inserted(beam)
            is_over = forms.lengths[beam.items] == place
            ended = beam.taken(is_over)
            ends, _ = model.extend(ended.states, np.full(len(ended.items), END))
            for item, log_prob, lemma in zip(
                ended.items.tolist(), (ended.log_probs + ends).tolist(), ended.lemmas, strict=True
            ):
                of_item = found[item]
                of_item[lemma] = (
                    float(np.logaddexp(log_prob, of_item[lemma])) if lemma in of_item else log_prob
                )
            beam = self._copied_or_deleted(beam.taken(~is_over), forms, place)
        return found

    def _forms(self, forms: Sequence[str]) -> "_Forms":
        longest = max(map(len, forms))
        characters = np.array([list(form[::-1].ljust(longest)) for form in forms], str)
        characters = characters.reshape(len(forms), longest)
        distinct, places = np.unique(characters, return_inverse=True)
        places = places.reshape(characters.shape)
        copies = np.array([self._id(_folded(each)) for each in distinct.tolist()], int)
        deletions = [self._deletions.get(each, NONE) for each in distinct.tolist()]
        return _Forms(
            distinct.astype(object),
            places,
            copies[places],
            np.array(deletions, int)[places],
            np.array([len(form) for form in forms]),
        )

    def _inserted(self, beam: "Beam") -> "Beam":
        """With or without something written before the next character."""
        owners, log_probs, states, texts = self._insertions.after(
            beam.states, beam.least_log_probs()
        )
        return beam.followed(
            np.concatenate([np.arange(len(beam.items)), owners]),
            np.concatenate([np.zeros(len(beam.items)), log_probs]),
            np.concatenate([beam.states, states]),
            np.concatenate([np.full(len(beam.items), NONE), texts]),
            self._insertions.texts,
        )

    def _copied_or_deleted(self, beam: "Beam", forms: "_Forms", place: int) -> "Beam":
        if not len(beam.items):
            return beam
        deletions = forms.deletions[beam.items, place]
        deleted = np.flatnonzero(deletions != NONE)
        owners = np.concatenate([np.arange(len(beam.items)), deleted])
        symbols = np.concatenate([forms.copies[beam.items, place], deletions[deleted]])
        log_probs, states = self._model.extend(beam.states[owners], symbols)
        copied = forms.characters[beam.items, place]
        texts = np.concatenate([copied, np.full(len(deleted), NONE)])
        return beam.followed(owners, log_probs, states, texts, forms.alphabet)


class _Forms(NamedTuple):
    """
    Forms from right to left, filled up with blanks; all but the first and the last of shape (num_forms, longest).

    # Parameters

    alphabet : `np.ndarray`
        Distinct characters; shape (num_characters,).
    characters : `np.ndarray`
        Their numbers.
    copies, deletions : `np.ndarray`
        Their symbols' ids; `NONE` where a character is never deleted.
    lengths : `np.ndarray`
        Shape (num_forms,).
    """

    alphabet: np.ndarray
    characters: np.ndarray
    copies: np.ndarray
    deletions: np.ndarray
    lengths: np.ndarray


def _folded(character: str) -> str:
    """In lower case, and one character still."""
    return character.lower()[:1]


def _edits(form: str, lemma: str) -> Iterator[Tuple[str, str]]:
    """From right to left: COPY or DELETE and the form's character, or _INSERT and all that is inserted."""
    place = len(form)
    reversed_actions = reversed(edit_actions(form, lemma))
    for kind, group in groupby(
        reversed_actions, lambda each: each if each in (COPY, DELETE) else _INSERT
    ):
        if kind == _INSERT:
            yield kind, "".join(group)[::-1]
        else:
            for _ in group:
                place -= 1
                yield kind, form[place]


def _n_best(found: Dict[str, float], n_best: int, within: float) -> Lemmas:
    written = ((lemma, of) for lemma, of in found.items() if lemma)
    best = sorted(written, key=lambda each: (-each[1], each[0]))[:n_best]
    near = [(lemma, of) for lemma, of in best if of >= best[0][1] - within]
    if not near:
        return []
    greatest = near[0][1]
    total = greatest + math.log(math.fsum(math.exp(of - greatest) for _, of in near))
    return [(lemma, of - total) for lemma, of in near]
