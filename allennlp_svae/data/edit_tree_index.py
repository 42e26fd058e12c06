"""The lemma candidates of a form: what the edit trees of labelled words make of it, the likeliest to be right first."""

from collections import defaultdict
from functools import lru_cache
from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

import numpy

from allennlp_svae.data.edit_tree import EditTree, Replace, edit_tree, parse
from allennlp_svae.data.lemma_rules import Analysis, analyze, casings
from allennlp_svae.data.tree_precision import MAX_ENDING, Application, TreePrecision

# Endings of forms to remember the trees of, at some kilobytes each.
_CACHE_SIZE = 10_000


class _Entry(NamedTuple):
    """
    A tree, how all texts that it applies to begin and end, and what stands so many characters before their end. Where
    it is no more than a replacement at either end, what these write is `simple`.
    """

    text: str
    tree: EditTree
    prefix: str
    suffix: str
    probe: str
    after: int
    simple: Optional[Tuple[str, str]]


# How improbable a tree is to be right, its number, and what it makes of a text: sorted, the most trusted come first.
_Applied = Tuple[float, int, str]


class EditTreeIndex:
    """
    Finds the trees that apply to a form without trying them all: a split's outermost replacements say how a form that
    it applies to begins and ends.

    # Parameters

    trees : `Iterable[str]`
        Serialised trees, the most frequent first.
    words : `Iterable[Tuple[str, str]]`, optional (default = `()`)
        Labelled forms with their lemmas. A tree is trusted as far as it is right for those that it applies to, by their
        endings; of equally trusted ones, the most frequent first.
    """

    def __init__(self, trees: Iterable[str], words: Iterable[Tuple[str, str]] = ()) -> None:
        self._entries: List[_Entry] = []
        self._by_suffix: Dict[str, List[int]] = defaultdict(list)
        # Of suffixes longer than the endings by which trees are remembered.
        self._by_end_of_suffix: Dict[str, List[int]] = defaultdict(list)
        for number, text in enumerate(trees):
            entry = _entry(text)
            self._entries.append(entry)
            if len(entry.suffix) > MAX_ENDING:
                self._by_end_of_suffix[entry.suffix[-MAX_ENDING:]].append(number)
            else:
                self._by_suffix[entry.suffix].append(number)
        self._of_ending = lru_cache(maxsize=_CACHE_SIZE)(self._sorted)
        # Which trees apply does not depend on how far they are trusted.
        self._precision = TreePrecision(len(self._entries), [])
        self._precision = TreePrecision(
            len(self._entries), [self._application(*word) for word in dict.fromkeys(words)]
        )
        self._of_ending.cache_clear()

    def candidates(self, form: str, at_most: int) -> List[Analysis]:
        """
        The distinct lemmas of a form, each by its most trusted tree, the most trusted first; never empty, for the form
        itself, as it stands and decapitalised, is always among them, the last if it is by no tree.

        # Parameters

        form : `str`
        at_most : `int`
            How many lemmas by trees it has.
        """
        named = casings(form)
        ranked = [
            (improbability, number, order, lemma)
            for order, (_, text) in enumerate(named)
            for improbability, number, lemma in self._distinct(text, at_most)
        ]
        if len(named) > 1:
            ranked.sort()
        by_lemma: Dict[str, Analysis] = {}
        for _, number, order, lemma in ranked:
            if lemma not in by_lemma:
                by_lemma[lemma] = Analysis(lemma, named[order][0], self._entries[number].text)
                if len(by_lemma) == at_most:
                    break
        for name, text in named:
            if text not in by_lemma:
                by_lemma[text] = Analysis(text, name, str(edit_tree(text, text)))
        return list(by_lemma.values())

    def apply(self, text: str) -> Iterator[_Applied]:
        """
        Of every tree that applies and leaves something how improbable it is to be right, its number, and what it makes
        of the text; the most trusted first.
        """
        entries, size = self._entries, len(text)
        for improbability, number in self._of_ending(text[-MAX_ENDING:]):
            _, tree, prefix, suffix, probe, after, simple = entries[number]
            # A place before the text would be one counted from its end.
            if (
                after > size
                or (prefix and not text.startswith(prefix))
                or not text.startswith(probe, size - after)
                or not text.endswith(suffix)
            ):
                continue
            if simple is None:
                result = tree.apply(text)
            elif len(prefix) + after <= size:
                result = simple[0] + text[len(prefix) : size - after] + simple[1]
            else:
                continue
            if result:
                yield improbability, number, result

    def _distinct(self, text: str, at_most: int) -> Iterator[_Applied]:
        """Of each result the most trusted, and no more than so many results."""
        results = set()
        for applied in self.apply(text):
            result = applied[2]
            if result not in results:
                yield applied
                results.add(result)
                if len(results) == at_most:
                    break

    def _sorted(self, ending: str) -> List[Tuple[float, int]]:
        """The trees that may apply to a text with an ending, and how improbable each is to be right."""
        found = list(self._by_end_of_suffix.get(ending, ()))
        for start in range(len(ending) + 1):
            found += self._by_suffix.get(ending[start:], ())
        found = [number for number in found if _goes_with(self._entries[number].tree, ending)]
        numbers = numpy.array(sorted(found), dtype=numpy.int64)
        improbabilities = -self._precision.of(ending)[numbers]
        order = numpy.argsort(improbabilities, kind="stable")
        return list(zip(improbabilities[order].tolist(), numbers[order].tolist(), strict=True))

    def _application(self, form: str, lemma: str) -> Application:
        text = dict(casings(form))[analyze(form, lemma).casing]
        applied = list(self.apply(text))
        return Application(
            text, [tree for _, tree, _ in applied], [result == lemma for _, _, result in applied]
        )


def _entry(text: str) -> _Entry:
    tree = parse(text)
    if isinstance(tree, Replace):
        source = tree.source
        return _Entry(text, tree, source, source, source, len(source), None)
    leaves = list(tree.leaves())
    first, last = leaves[0], leaves[-1]
    # Most trees that apply at both ends do not where the right side begins: this is quickly seen.
    probe = next(tree.right.leaves()).source
    simple = (first.target, last.target) if len(leaves) == 2 else None
    return _Entry(text, tree, first.source, last.source, probe, tree.after, simple)


def _goes_with(tree: EditTree, ending: str) -> bool:
    """Whether a tree may apply to texts with an ending, as far as it tells."""
    if isinstance(tree, Replace) or tree.after > len(ending):
        return True
    return tree.right.apply(ending[len(ending) - tree.after :]) is not None
