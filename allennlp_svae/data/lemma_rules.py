"""
From a form to its lemma: a casing of the form, then an edit tree. Casing is a choice of its own so that the trees of
`Kitabı` and `kitabı` are one, whichever of them begins a sentence.
"""

from functools import lru_cache
from typing import NamedTuple, Tuple

from allennlp_svae.data.casing import lower_case
from allennlp_svae.data.edit_tree import cost, edit_tree


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
