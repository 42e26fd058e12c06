"""
The search of `JointNgrams`: a beam of derivations for each of many items at once, and what they may go on with.
"""

import math
from typing import Dict, List, NamedTuple, Tuple

import numpy as np

from allennlp_svae.data.word_model import NONE, WordModel

# How many ways of editing a form are followed at a time, and how far below the best, in nats.
BEAM_SIZE = 8
BEAM_WIDTH = 8.0

# Of how many states insertions are looked for at a time, for the sake of memory.
_CHUNK = 100_000


class Insertions:
    """
    Which insertions come after which states. Those that alone fall out of the beam are not among them.

    # Parameters

    model : `WordModel`
    texts : `Dict[int, str]`
        By the ids of symbols.
    """

    def __init__(self, model: WordModel, texts: Dict[int, str]) -> None:
        contexts, symbols = model.bigrams()
        is_insertion = np.isin(symbols, list(texts))
        contexts, symbols = contexts[is_insertion], symbols[is_insertion]
        numbers = {text: number for number, text in enumerate(texts.values())}
        self.texts = np.array(list(numbers), object)
        # They are in the order of the contexts.
        of_contexts = np.bincount(contexts, minlength=model.num_ids)
        starts = np.cumsum(of_contexts) - of_contexts
        found: List[Tuple[np.ndarray, ...]] = []
        for first in range(0, model.num_states, _CHUNK):
            states = np.arange(first, min(first + _CHUNK, model.num_states))
            context = model.last_characters(states)
            owners = np.repeat(np.arange(len(states)), of_contexts[context])
            places = starts[context[owners]] + _ranks(of_contexts[context])
            log_probs, following = model.extend(states[owners], symbols[places])
            kept = np.flatnonzero(log_probs >= -BEAM_WIDTH)
            found.append((states[owners[kept]], places[kept], log_probs[kept], following[kept]))
        owners, places, self._log_probs, self._states = map(
            np.concatenate, zip(*found, strict=True)
        )
        self._counts = np.bincount(owners, minlength=model.num_states)
        self._starts = np.cumsum(self._counts) - self._counts
        of_symbols = np.array([numbers[texts[each]] for each in symbols.tolist()], int)
        self._texts = of_symbols[places]

    def after(
        self, states: np.ndarray, at_least: np.ndarray
    ) -> Tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """
        Which states, by their numbers, go on with what log p, to which states, and with which of the texts; of each
        state those with a log p that is not less than its `at_least`.
        """
        counts = self._counts[states]
        owners = np.repeat(np.arange(len(states)), counts)
        places = np.repeat(self._starts[states], counts) + _ranks(counts)
        log_probs = self._log_probs[places]
        kept = np.flatnonzero(log_probs >= at_least[owners])
        places = places[kept]
        return owners[kept], log_probs[kept], self._states[places], self._texts[places]


class Beam(NamedTuple):
    """Beginnings of derivations, and what they have written: the ends of lemmas."""

    items: np.ndarray
    log_probs: np.ndarray
    states: np.ndarray
    lemmas: np.ndarray

    def least_log_probs(self) -> np.ndarray:
        """What a derivation has to go on with at least, in order to stay, if nothing gets more probable."""
        return _best(self.items, self.log_probs)[self.items] - BEAM_WIDTH - self.log_probs

    def taken(self, which: np.ndarray) -> "Beam":
        return Beam(*(each[which] for each in self))

    def followed(
        self,
        owners: np.ndarray,
        log_probs: np.ndarray,
        states: np.ndarray,
        texts: np.ndarray,
        written: np.ndarray,
    ) -> "Beam":
        """
        The best of each item, of what goes on from `owners` and writes before their lemmas one of the strings
        `written`, whose number is in `texts`, or nothing, `NONE`.
        """
        items, log_probs = self.items[owners], self.log_probs[owners] + log_probs
        kept = _best_places(items, log_probs)
        lemmas = self.lemmas[owners[kept]]
        (longer,) = np.nonzero(texts[kept] != NONE)
        lemmas[longer] = written[texts[kept[longer]]] + lemmas[longer]
        return Beam(items[kept], log_probs[kept], states[kept], lemmas)


def _best_places(items: np.ndarray, log_probs: np.ndarray) -> np.ndarray:
    """The places of the best of each item, in no particular order of items."""
    near = np.flatnonzero(log_probs >= _best(items, log_probs)[items] - BEAM_WIDTH)
    # Most items have no more than a few: only where there are too many, they are sorted.
    is_crowded = np.bincount(items[near])[items[near]] > BEAM_SIZE
    crowded = near[is_crowded]
    crowded = crowded[np.lexsort((-log_probs[crowded], items[crowded]))]
    is_kept = _ranks(np.bincount(items[crowded])) < BEAM_SIZE
    return np.concatenate([near[~is_crowded], crowded[is_kept]])


def _best(items: np.ndarray, log_probs: np.ndarray) -> np.ndarray:
    """Of each item, up to the last one."""
    best = np.full(items.max(initial=0) + 1, -math.inf)
    np.maximum.at(best, items, log_probs)
    return best


def _ranks(counts: np.ndarray) -> np.ndarray:
    """From 0 on within each of groups of so many, one after another."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
