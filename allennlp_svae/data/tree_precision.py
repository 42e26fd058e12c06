"""How often an edit tree is right, among the labelled words that it applies to, by how they end."""

from typing import Dict, NamedTuple, Sequence

import numpy

# The longest ending, in characters.
MAX_ENDING = 3
# How many words weigh as much as what is known of those with a shorter ending.
_BACKOFF = 2.0


class Application(NamedTuple):
    """The trees that apply to a labelled word, and which of them make its lemma."""

    text: str
    trees: Sequence[int]
    is_right: Sequence[bool]


class _Counts(NamedTuple):
    """Of the trees that apply to words of one ending, to how many they do, and for how many they are right."""

    trees: numpy.ndarray
    applied: numpy.ndarray
    right: numpy.ndarray


class TreePrecision:
    """
    The probability that a tree is right where it applies, by the words with the longest known ending, where these are
    few by those of shorter ones too:

        p_k = (right_k + 2 p_{k-1}) / (applied_k + 2),  p_{-1} = 0

    # Parameters

    num_trees : `int`
    applications : `Sequence[Application]`
        To distinct words and lemmas. Trees are numbers below `num_trees`.
    """

    def __init__(self, num_trees: int, applications: Sequence[Application]) -> None:
        self._num_trees = num_trees
        self._counts: Dict[str, _Counts] = {}
        for length in range(MAX_ENDING + 1):
            self._count(
                length, [each for each in applications if each.trees and len(each.text) >= length]
            )

    def _count(self, length: int, applications: Sequence[Application]) -> None:
        if not applications:
            return
        numbers: Dict[str, int] = {}
        for text, _, _ in applications:
            numbers.setdefault(text[len(text) - length :], len(numbers))
        endings = [numbers[text[len(text) - length :]] for text, _, _ in applications]
        trees = numpy.concatenate([each.trees for each in applications])
        is_right = numpy.concatenate([each.is_right for each in applications])
        owners = numpy.repeat(endings, [len(each.trees) for each in applications])
        pairs, of_pair, applied = numpy.unique(
            owners * self._num_trees + trees, return_inverse=True, return_counts=True
        )
        right = numpy.bincount(of_pair, weights=is_right)
        bounds = numpy.searchsorted(pairs, numpy.arange(len(numbers) + 1) * self._num_trees)
        for ending, number in numbers.items():
            of_ending = slice(bounds[number], bounds[number + 1])
            self._counts[ending] = _Counts(
                pairs[of_ending] % self._num_trees, applied[of_ending], right[of_ending]
            )

    def of(self, text: str) -> numpy.ndarray:
        """Of each tree; shape (num_trees,)."""
        probs = numpy.zeros(self._num_trees)
        for length in range(min(MAX_ENDING, len(text)) + 1):
            known = self._counts.get(text[len(text) - length :])
            if known is None:
                break
            trees, applied, right = known
            probs[trees] = (right + _BACKOFF * probs[trees]) / (applied + _BACKOFF)
        return probs
