"""
What words of a language look like: a character n-gram model of a word list.

Interpolated with the shorter context, the more so the more surprises the longer one has had (Witten and Bell, 1991):

    p(c | h) = (n(hc) + t(h) p(c | h')) / (n(h) + t(h))

n(hc) counts how often c follows h, n(h) how often anything does, t(h) how many distinct characters do; h' is h without
its first character. Each word counts once: what is learnt is how words are made, not which of them are frequent.

All that matters of what has come is the longest end of it that is an n-gram, a state. Where it was never followed by
c, what is left of the formula is a weight of h, t(h) / (n(h) + t(h)), times the probability after h'.
"""

from typing import Iterable, List, NamedTuple, Sequence, Tuple

import numpy as np

from allennlp_svae.data.key_table import KeyTable

START, END, FIRST = range(3)
NONE = -1

# The state in which nothing has come.
_NOTHING = 0


class _Level(NamedTuple):
    """
    The n-grams of one length, each of them a move: from the state of its first n - 1 characters, by the last one. If
    they are not the longest, they are states themselves.

    # Parameters

    keys : `np.ndarray`
        The state before, times the number of characters, plus the character; ascending.
    probs : `np.ndarray`
        Of the character after those before it.
    states : `np.ndarray`
        The states after it.
    shorter : `np.ndarray`
        The states that lack its first character.
    weights : `np.ndarray`
        Of the contexts, the n-grams one shorter, what the shorter contexts count for.
    """

    keys: np.ndarray
    probs: np.ndarray
    states: np.ndarray
    shorter: np.ndarray
    weights: np.ndarray


class WordModel:
    """
    A distribution over strings. Upper and lower case are the same, and so are all characters that no word has.

    # Parameters

    words : `Iterable[str]`
        Repetitions do not count.
    order : `int`, optional (default = `6`)
        The length of the longest n-grams, in characters.

    # Attributes

    num_ids : `int`
        Of characters: those of words, START, END and one for all others.
    num_states : `int`

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
        self.num_ids = self._unknown + 1
        levels = _levels(self._characters(distinct), self.num_ids, order)
        # Moves, by the state before and the character, which make one ascending key.
        self._keys = np.concatenate([level.keys for level in levels])
        self._places = KeyTable(self._keys)
        self._log_probs = np.log(np.concatenate([level.probs for level in levels]))
        self._next = np.concatenate([level.states for level in levels])
        # Of states, the first of which is that nothing has come.
        of_states = levels[: order - 1]
        self._shorter = np.concatenate([[_NOTHING], *(level.shorter for level in of_states)])
        self._last = np.concatenate([[NONE], *(level.keys % self.num_ids for level in of_states)])
        self.num_states = len(self._shorter)
        self._log_weights = np.zeros(self.num_states)
        weights = np.concatenate([level.weights for level in levels])
        self._log_weights[: len(weights)] = np.log(weights)

    def log_probs(self, words: Sequence[str]) -> List[float]:
        """Of whole words, their ends included, in nats."""
        log_probs, states = self._read([word.lower() for word in words])
        ends, _ = self.extend(states, np.full(len(words), END))
        return (log_probs + ends).tolist()

    # Character by character.

    def ids(self, text: str) -> List[int]:
        """Of the characters of what is in lower case."""
        return [self._ids.get(character, self._unknown) for character in text]

    def beginning(self, num_words: int) -> np.ndarray:
        """States before the first character; shape (num_words,)."""
        _, states = self.extend(np.full(num_words, _NOTHING), np.full(num_words, START))
        return states

    def after(self, texts: Sequence[str]) -> np.ndarray:
        """States after beginnings of words; shape (num_texts,)."""
        _, states = self._read([text.lower() for text in texts])
        return states

    def extend(self, states: np.ndarray, characters: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """
        log p of the next character of each, END included, in nats, and the states after it.

        # Parameters

        states : `np.ndarray`
        characters : `np.ndarray`
            Their ids.
        """
        log_probs, following = np.zeros(len(states)), np.empty(len(states), int)
        asked = np.arange(len(states))
        while len(asked):
            places = self._places.find(states * self.num_ids + characters)
            (found,) = np.nonzero(places < self._places.num_keys)
            of_found, places_found = asked[found], places[found]
            log_probs[of_found] += self._log_probs[places_found]
            following[of_found] = self._next[places_found]
            # After nothing, everything is found.
            (missing,) = np.nonzero(places == self._places.num_keys)
            asked, states, characters = asked[missing], states[missing], characters[missing]
            log_probs[asked] += self._log_weights[states]
            states = self._shorter[states]
        return log_probs, following

    def last_characters(self, states: np.ndarray) -> np.ndarray:
        """The ids of the characters that came last, where those are known, else `NONE`."""
        return self._last[states]

    def bigrams(self) -> Tuple[np.ndarray, np.ndarray]:
        """What follows what, START and END included: the ids of characters, ascending, and of those after them."""
        before, after = np.divmod(self._keys, self.num_ids)
        is_bigram = (before != _NOTHING) & (self._shorter[before] == _NOTHING)
        return self._last[before[is_bigram]], after[is_bigram]

    def _read(self, texts: Sequence[str]) -> Tuple[np.ndarray, np.ndarray]:
        """log p of the characters of each text, and the states after them."""
        lengths = np.array([len(text) for text in texts], int)
        characters = np.array([each for text in texts for each in self.ids(text)], int)
        starts = np.cumsum(lengths) - lengths
        log_probs, states = np.zeros(len(texts)), self.beginning(len(texts))
        for place in range(max(lengths, default=0)):
            (longer,) = np.nonzero(lengths > place)
            added, states[longer] = self.extend(states[longer], characters[starts[longer] + place])
            log_probs[longer] += added
        return log_probs, states

    def _characters(self, words: Iterable[str]) -> np.ndarray:
        """All words in a row, each between START and END."""
        ids: List[int] = []
        for word in words:
            ids.append(START)
            ids.extend(self.ids(word))
            ids.append(END)
        return np.array(ids)


def _levels(characters: np.ndarray, num_ids: int, order: int) -> List[_Level]:
    """Counted in a row of words, each between START and END."""
    ends = np.flatnonzero(characters == END)
    longest = int(np.diff(ends, prepend=-1).max())
    # Of each place the state of the last characters, as many as the level before has; `NONE` across words.
    states = np.full(len(characters), _NOTHING)
    first_context, shorter_probs = _NOTHING, np.array([1 / (num_ids - 1)])
    levels: List[_Level] = []
    # No n-gram is longer than the longest word.
    for length in range(1, min(order, longest) + 1):
        before = np.roll(states, 1)
        # START is given, not predicted.
        inside = (before != NONE) & ((characters != START) | (length == 1))
        keys = before[inside] * num_ids + characters[inside]
        # All characters count as seen, those of no word too: of what comes after nothing, nothing is missing.
        distinct = np.unique(keys) if length > 1 else np.arange(num_ids)
        numbers = np.searchsorted(distinct, keys)
        counts = np.bincount(numbers, minlength=len(distinct))
        counts[distinct % num_ids == START] = 0
        num_contexts = len(shorter_probs)
        contexts = distinct // num_ids - first_context
        followers = np.bincount(contexts, counts, num_contexts)
        surprises = np.bincount(contexts, counts > 0, num_contexts)
        shorter = np.full(len(distinct), _NOTHING)
        shorter[numbers] = states[inside]
        of_shorter = shorter_probs[shorter - first_context]
        probs = (counts + surprises[contexts] * of_shorter) / (followers + surprises)[contexts]
        first = first_context + num_contexts
        own = first + np.arange(len(distinct)) if length < order else shorter
        weights = np.divide(
            surprises, followers + surprises, out=np.ones(num_contexts), where=followers > 0
        )
        levels.append(_Level(distinct, probs, own, shorter, weights))
        states = np.full(len(characters), NONE)
        states[inside] = own[numbers]
        first_context, shorter_probs = first, probs
    return levels
