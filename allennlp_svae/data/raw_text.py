"""What raw text tells of its words without annotation: how often they occur, in which case, and beside what."""

from array import array
from itertools import pairwise
from typing import Dict, Iterable, List, Sequence

import numpy as np

from allennlp_svae.data.word_features import endings, fold

# The place of a sentence's end, in `RawText.sequence`.
EDGE = -1
# The columns of `RawText.counts`. The first word of a sentence is capitalized whatever it is. That which comes after an
# opening quotation mark counts as any other: to tell it apart made no inflection or tag better, and lemmas .1 worse.
LOWER, CAPITAL, CAPITAL_AT_START = range(3)


class RawText:
    """
    Sentences, case folded, as numbers of words.

    # Parameters

    sentences : `Iterable[Sequence[str]]`
        The forms of each; empty ones are passed over.

    # Attributes

    words : `List[str]`
        Distinct, in order of first occurrence.
    counts : `numpy.ndarray`
        How often each word occurs in lower case, capitalized, and capitalized at the start of a
        sentence; shape (num_words, 3).
    sequence : `numpy.ndarray`
        The place in `words` of each word of the text, with `EDGE` before, between and after sentences;
        shape (num_tokens + num_sentences + 1,).
    """

    def __init__(self, sentences: Iterable[Sequence[str]]) -> None:
        places: Dict[str, int] = {}
        sequence = array("q", [EDGE])
        casings = array("b", [EDGE])
        for forms in sentences:
            for position, form in enumerate(filter(None, forms)):
                sequence.append(places.setdefault(fold(form), len(places)))
                capital = CAPITAL if position else CAPITAL_AT_START
                casings.append(capital if form[0].isupper() else LOWER)
            sequence.append(EDGE)
            casings.append(EDGE)
        self.words: List[str] = list(places)
        self.sequence = np.array(sequence)
        self.counts = np.zeros((len(places), 3), dtype=np.int64)
        is_word = self.sequence != EDGE
        np.add.at(self.counts, (self.sequence[is_word], np.array(casings)[is_word]), 1)

    def of_endings(self, place: int) -> "RawText":
        """The text with the ending at a place of `endings` instead of each word."""
        cut = [endings(word)[place] for word in self.words]
        edges = np.flatnonzero(self.sequence == EDGE)
        return RawText(
            [cut[word] for word in self.sequence[start + 1 : end]] for start, end in pairwise(edges)
        )
