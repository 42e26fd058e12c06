"""Edit trees rebuild their pair, carry over to other strings, and survive serialisation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.edit_tree import Replace, Split, cost, edit_tree, parse

# Few letters make long common substrings and repetitions; `text()` brings every other character.
strings = st.one_of(st.text("abAB", max_size=12), st.text(max_size=8))


@given(strings, strings)
def test_a_tree_turns_its_source_into_its_target(source: str, target: str) -> None:
    assert edit_tree(source, target).apply(source) == target
    assert edit_tree(target, source).apply(target) == source


@given(strings, strings)
def test_serialisation_is_one_printable_word_and_comes_back(source: str, target: str) -> None:
    tree = edit_tree(source, target)
    text = str(tree)
    assert not any(char.isspace() or not char.isprintable() for char in text)
    assert parse(text) == tree


@given(strings, strings, strings)
def test_a_tree_makes_every_string_that_it_applies_to_as_much_longer(
    source: str, target: str, other: str
) -> None:
    result = edit_tree(source, target).apply(other)
    assert result is None or len(result) - len(other) == len(target) - len(source)


def test_surrogates_are_escaped() -> None:
    tree = edit_tree("a\ud800", "a")
    assert str(tree).encode("utf-8")
    assert parse(str(tree)) == tree


def test_trees_are_shared_between_pairs_and_apply_where_they_fit() -> None:
    tree = edit_tree("goes", "go")
    assert tree == edit_tree("does", "do") == Split(0, 2, Replace("", ""), Replace("es", ""))
    assert tree.apply("undergoes") == "undergo"
    assert tree.apply("going") is None
    assert tree.apply("s") is None


def test_circumfixes_and_stem_changes_recurse() -> None:
    tree = edit_tree("gesungen", "singen")
    assert tree.apply("gesungen") == "singen"
    assert [str(leaf) for leaf in tree.leaves() if leaf.source != leaf.target] == ["ge>", "u>i"]
    assert cost(tree) == 4


def test_suppletion_is_one_replacement() -> None:
    assert edit_tree("is", "be") == Replace("is", "be")


@pytest.mark.parametrize("text", ["", "a", "(1|a>b|c>d|1", "(x|a>b|c>d|1)", "a>b)", "a>\\zz;"])
def test_what_is_no_tree_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not an edit tree"):
        parse(text)
