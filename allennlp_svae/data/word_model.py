"""
What words of a language look like: a character n-gram model of a word list.

Interpolated with the shorter context, the more so the more surprises the longer one has had (Witten and Bell, 1991):

    p(c | h) = (n(hc) + t(h) p(c | h')) / (n(h) + t(h))

n(hc) counts how often c follows h, n(h) how often anything does, t(h) how many distinct characters do; h' is h without
its first character. Each word counts once: what is learnt is how words are made, not which of them are frequent.
"""

from itertools import pairwise
from typing import Iterable, List, NamedTuple, Sequence, Tuple

import numpy as np

START, END, FIRST = range(3)
NONE = -1


class _Level(NamedTuple):
    """The n-grams of one length. The number of an n-gram is its place here."""

    # Ascending: the number of its first n - 1 characters, times `_base`, plus its last character.
    keys: np.ndarray
    counts: np.ndarray
    # What follows it: how many characters, and how many distinct ones.
    followers: np.ndarray
    distinct: np.ndarray

    def numbers(self, keys: np.ndarray) -> np.ndarray:
        """Of the n-grams with these keys; `NONE` where there is none."""
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, places, NONE)


class WordModel:
    """
    A distribution over strings. Upper and lower case are the same, and so are all characters that no word has.

    # Parameters

    words : `Iterable[str]`
        Repetitions do not count.
    order : `int`, optional (default = `6`)
        The length of the longest n-grams, in characters.

    # Raises

    `ValueError` where there are no words.
    """

    def __init__(self, words: Iterable[str], order: int = 6) -> None:
        distinct = sorted({word.lower() for word in words})
        if not distinct:
            raise ValueError("A word model needs words.")
        alphabet = sorted(set().union(*distinct))
        self._ids = {character: FIRST + place for place, character in enumerate(alphabet)}
        self._unknown = FIRST + len(alphabet)
        self._base = self._unknown + 1
        characters = self._characters(distinct)
        numbers = np.zeros_like(characters)
        nothing = np.zeros(1, int)
        self._levels = [_Level(nothing, nothing, nothing, nothing)]
        # No n-gram is longer than the longest word.
        for length in range(1, min(order, max(map(len, distinct)) + 2) + 1):
            keys = self._keys(length, numbers, characters)
            self._add_level(keys[keys != NONE])
            numbers = self._levels[-1].numbers(keys)

    def log_probs(self, words: Sequence[str]) -> List[float]:
        """Of whole words, their ends included, in nats."""
        if not words:
            return []
        characters = self._characters([word.lower() for word in words])
        log_probs = np.log(self._probabilities(characters))
        return np.add.reduceat(log_probs, np.flatnonzero(characters == START)).tolist()

    def log_probs_of_last(self, words: Sequence[str]) -> List[float]:
        """Of the last character of each word after those before it, in nats. No word is empty."""
        if not words:
            return []
        characters = self._characters([word.lower() for word in words])
        probabilities = self._probabilities(characters)
        return np.log(probabilities[np.flatnonzero(characters == END) - 1]).tolist()

    # Character by character. A state tells what has come so far: the numbers of the last n-grams, of no character, of
    # one and so on, shape (order,).

    def ids(self, text: str) -> List[int]:
        """Of the characters of what is in lower case."""
        return [self._ids.get(character, self._unknown) for character in text]

    def beginning(self, num_words: int) -> np.ndarray:
        """States before the first character; shape (num_words, order)."""
        states = np.full((num_words, len(self._levels) - 1), NONE)
        states[:, 0] = 0
        _, states = self.extend(states, np.full(num_words, START))
        return states

    def extend(self, states: np.ndarray, characters: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """
        log p of the next character of each, END included, in nats, and the states after it.

        # Parameters

        states : `np.ndarray`
            Shape (num_words, order).
        characters : `np.ndarray`
            Their ids; shape (num_words,).
        """
        following = np.full_like(states, NONE)
        following[:, 0] = 0
        probabilities = np.full(len(characters), 1 / (self._base - 1))
        for length, (contexts, grams) in enumerate(pairwise(self._levels), start=1):
            before = states[:, length - 1]
            keys = np.where(before == NONE, NONE, before * self._base + characters)
            numbers = grams.numbers(keys)
            probabilities = _interpolated(contexts, grams, before, numbers, probabilities)
            if length < states.shape[1]:
                following[:, length] = numbers
        return np.log(probabilities), following

    @property
    def num_characters(self) -> int:
        """How many distinct characters words have, START and END included."""
        return len(self._levels[1].keys)

    def bigrams(self) -> Tuple[np.ndarray, np.ndarray]:
        """What follows what: the numbers of characters as in states, ascending, and the ids of those after them."""
        first, second = np.divmod(self._levels[2].keys, self._base)
        return first, second

    def _characters(self, words: Iterable[str]) -> np.ndarray:
        """All words in a row, each between START and END."""
        ids: List[int] = []
        for word in words:
            ids.append(START)
            ids.extend(self.ids(word))
            ids.append(END)
        return np.array(ids)

    def _keys(self, length: int, numbers: np.ndarray, characters: np.ndarray) -> np.ndarray:
        """Of the n-grams that end at each place, from the numbers of those one shorter; `NONE` across words."""
        before = np.roll(numbers, 1)
        inside = (before != NONE) & ((characters != START) | (length == 1))
        return np.where(inside, before * self._base + characters, NONE)

    def _add_level(self, keys: np.ndarray) -> None:
        distinct, counts = np.unique(keys, return_counts=True)
        # START is given, not predicted.
        counts[distinct % self._base == START] = 0
        contexts, last = distinct // self._base, self._levels[-1]
        self._levels[-1] = last._replace(
            followers=np.bincount(contexts, counts, len(last.keys)),
            distinct=np.bincount(contexts, counts > 0, len(last.keys)),
        )
        nothing = np.zeros_like(distinct)
        self._levels.append(_Level(distinct, counts, nothing, nothing))

    def _probabilities(self, characters: np.ndarray) -> np.ndarray:
        """Of each character after those before it in its word; one for START."""
        numbers = np.zeros_like(characters)
        probabilities = np.full(len(characters), 1 / (self._base - 1))
        for length, (contexts, grams) in enumerate(pairwise(self._levels), start=1):
            before = np.roll(numbers, 1)
            numbers = grams.numbers(self._keys(length, numbers, characters))
            probabilities = _interpolated(contexts, grams, before, numbers, probabilities)
        return np.where(characters == START, 1.0, probabilities)


def _interpolated(
    contexts: _Level,
    grams: _Level,
    before: np.ndarray,
    numbers: np.ndarray,
    probabilities: np.ndarray,
) -> np.ndarray:
    """Of n-grams, from those of the shorter ones; `before` and `numbers` are those of contexts and n-grams."""
    followers, surprises = contexts.followers[before], contexts.distinct[before]
    counts = np.where(numbers == NONE, 0, grams.counts[numbers])
    with_context = (counts + surprises * probabilities) / np.maximum(1, followers + surprises)
    known = (before != NONE) & (followers > 0)
    return np.where(known, with_context, probabilities)
