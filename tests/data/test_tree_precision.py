"""How often trees are right, against its definition."""

from typing import List

import numpy
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.tree_precision import MAX_ENDING, Application, TreePrecision

NUM_TREES = 4
texts = st.text("ab", max_size=5)


@st.composite
def applications(draw) -> Application:
    trees = draw(st.lists(st.integers(0, NUM_TREES - 1), unique=True))
    is_right = draw(st.lists(st.booleans(), min_size=len(trees), max_size=len(trees)))
    return Application(draw(texts), trees, is_right)


def defined(tree: int, text: str, known: List[Application]) -> float:
    """p_k of the longest ending that is known, from the docstring."""
    prob = 0.0
    for length in range(min(MAX_ENDING, len(text)) + 1):
        ending = text[len(text) - length :]
        of_ending = [
            dict(zip(each.trees, each.is_right, strict=True))
            for each in known
            if each.trees and each.text.endswith(ending)
        ]
        right = [each[tree] for each in of_ending if tree in each]
        prob = (sum(right) + 2 * prob) / (len(right) + 2)
    return prob


@given(st.lists(applications(), max_size=8), texts)
def test_it_is_what_its_definition_says(known: List[Application], text: str) -> None:
    found = TreePrecision(NUM_TREES, known).of(text)
    expected = [defined(tree, text, known) for tree in range(NUM_TREES)]
    numpy.testing.assert_allclose(found, expected)


def test_nothing_is_trusted_where_nothing_is_known() -> None:
    assert TreePrecision(2, []).of("abc").tolist() == [0.0, 0.0]
