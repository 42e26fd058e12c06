"""
From a form to its lemma candidates: a casing of the form, then an edit tree. Casing is a choice of its
own so that the trees of `Kitabı` and `kitabı` are one, whichever of them begins a sentence.
"""

from collections import defaultdict
from functools import lru_cache
from typing import Dict, Iterable, List, NamedTuple, Tuple

from allennlp_svae.data.casing import lower_case
from allennlp_svae.data.edit_tree import EditTree, Replace, cost, edit_tree, parse


class Analysis(NamedTuple):
    """How a lemma comes from a form: by the name of a casing and the serialised edit tree."""

    lemma: str
    casing: str
    tree: str


@lru_cache(maxsize=65536)
def casings(form: str) -> Tuple[Tuple[str, str], ...]:
    """
    The form as it stands, and decapitalised: its first character or all of them in lower case, with
    the capital I read as dotted (`i`) or as Turkish dotless (`ı`). Distinct strings, each with its name.
    """
    named = {form: "same"}
    for name, text in (
        ("first", lower_case(form[:1], "i") + form[1:]),
        ("first-dotless", lower_case(form[:1], "ı") + form[1:]),
        ("all", lower_case(form, "i")),
        ("all-dotless", lower_case(form, "ı")),
    ):
        named.setdefault(text, name)
    return tuple((name, text) for text, name in named.items())


@lru_cache(maxsize=65536)
def analyze(form: str, lemma: str) -> Analysis:
    """The casing and tree that change the fewest characters; ties keep more of the form's own case."""
    trees = [(name, edit_tree(text, lemma)) for name, text in casings(form)]
    name, tree = min(trees, key=lambda named: cost(named[1]))
    return Analysis(lemma, name, str(tree))


class _Entry(NamedTuple):
    """A tree, and a string that begins so many characters before the end of each form that it applies to."""

    rank: int
    text: str
    tree: EditTree
    probe: str
    after: int


class EditTreeIndex:
    """
    Finds the trees that apply to a form without trying them all: a split's outermost replacements say
    how a form that it applies to begins and ends.

    # Parameters

    trees : `Iterable[str]`
        Serialised trees, the most trusted first.
    """

    def __init__(self, trees: Iterable[str]) -> None:
        self._whole: Dict[str, List[_Entry]] = defaultdict(list)
        self._by_ends: Dict[str, Dict[str, List[_Entry]]] = {}
        for rank, text in enumerate(trees):
            tree = parse(text)
            if isinstance(tree, Replace):
                self._whole[tree.source].append(_Entry(rank, text, tree, "", 0))
                continue
            leaves = list(tree.leaves())
            endings = self._by_ends.setdefault(leaves[0].source, {})
            # Most trees that apply at both ends do not where the right side begins: this is quickly seen.
            probe = next(tree.right.leaves()).source
            endings.setdefault(leaves[-1].source, []).append(
                _Entry(rank, text, tree, probe, tree.after)
            )
        self._max_prefix = max(map(len, self._by_ends), default=0)
        self._max_suffix = max(
            (len(suffix) for endings in self._by_ends.values() for suffix in endings), default=0
        )

    def apply(self, text: str) -> List[Tuple[int, str, str]]:
        """(rank, tree, result) of every tree that applies and leaves something, by rank."""
        found = list(self._whole.get(text, ()))
        suffixes = [
            text[len(text) - length :] for length in range(min(len(text), self._max_suffix) + 1)
        ]
        for length in range(min(len(text), self._max_prefix) + 1):
            endings = self._by_ends.get(text[:length])
            if endings is not None:
                for suffix in suffixes:
                    found += endings.get(suffix, ())
        size = len(text)
        # A place before the text would be one counted from its end.
        found = [
            entry
            for entry in found
            if entry.after <= size and text.startswith(entry.probe, size - entry.after)
        ]
        found.sort(key=lambda entry: entry.rank)
        results = ((entry.rank, entry.text, entry.tree.apply(text)) for entry in found)
        return [(rank, name, result) for rank, name, result in results if result]


def candidates(form: str, trees: EditTreeIndex, at_most: int) -> List[Analysis]:
    """
    The distinct lemmas of a form, each by its most trusted tree; never empty, for the form itself, as
    it stands and decapitalised, is always among them.

    # Parameters

    form : `str`
    trees : `EditTreeIndex`
    at_most : `int`
        Keeps those with the most trusted trees.
    """
    ranked = [
        (rank, order, Analysis(lemma, name, tree))
        for order, (name, text) in enumerate(casings(form))
        for rank, tree, lemma in trees.apply(text)
    ]
    ranked.sort(key=lambda entry: entry[:2])
    by_lemma: Dict[str, Analysis] = {}
    for _, _, analysis in ranked:
        by_lemma.setdefault(analysis.lemma, analysis)
        if len(by_lemma) == at_most:
            break
    for name, text in casings(form):
        if text not in by_lemma:
            by_lemma[text] = Analysis(text, name, str(edit_tree(text, text)))
    return list(by_lemma.values())
