"""Edit trees found by index, the most trusted first, and the candidates they make."""

from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.edit_tree import parse
from allennlp_svae.data.edit_tree_index import EditTreeIndex
from allennlp_svae.data.lemma_rules import analyze, casings
from allennlp_svae.data.tree_precision import Application, TreePrecision

words = st.text("abAB", max_size=7)
pairs = st.lists(st.tuples(words, words), max_size=10)


def trees_of(pairs: list) -> list:
    return list(dict.fromkeys(analyze(*pair).tree for pair in pairs))


@given(pairs, words)
def test_the_index_finds_what_trying_every_tree_finds(pairs: list, form: str) -> None:
    trees = trees_of(pairs)
    tried = [(rank, parse(tree).apply(form)) for rank, tree in enumerate(trees)]
    found = [(tree, result) for _, tree, result in EditTreeIndex(trees).apply(form)]
    assert found == [each for each in tried if each[1]]


@given(pairs, words)
def test_the_most_trusted_trees_come_first(pairs: list, form: str) -> None:
    trees = trees_of(pairs)
    applications = []
    for word, lemma in dict.fromkeys(pairs):
        text = dict(casings(word))[analyze(word, lemma).casing]
        results = [(rank, parse(tree).apply(text)) for rank, tree in enumerate(trees)]
        results = [each for each in results if each[1]]
        is_right = [result == lemma for _, result in results]
        applications.append(Application(text, [rank for rank, _ in results], is_right))
    precision = TreePrecision(len(trees), applications).of(form)
    found = [(tree, -of) for of, tree, _ in EditTreeIndex(trees, pairs).apply(form)]
    assert all(prob == precision[tree] for tree, prob in found)
    assert found == sorted(found, key=lambda each: (-each[1], each[0]))


@given(pairs, words, st.integers(1, 4))
def test_candidates_are_the_first_distinct_lemmas_and_the_form(
    pairs: list, form: str, at_most: int
) -> None:
    index = EditTreeIndex(trees_of(pairs), pairs)
    ranked = [
        (*applied[:2], order, applied[2])
        for order, (_, text) in enumerate(casings(form))
        for applied in index.apply(text)
    ]
    distinct = list(dict.fromkeys(lemma for *_, lemma in sorted(ranked)))[:at_most]
    expected = distinct + [text for _, text in casings(form) if text not in distinct]
    found = index.candidates(form, at_most)
    assert [each.lemma for each in found] == expected
    for lemma, casing, tree in found:
        assert parse(tree).apply(dict(casings(form))[casing]) == lemma


def test_candidates_are_distinct_by_trust_and_hold_the_form_itself() -> None:
    trees = EditTreeIndex([analyze("evler", "ev").tree, analyze("eve", "ev").tree])
    lemmas = [each.lemma for each in trees.candidates("Kitaplar", 10)]
    assert lemmas == ["Kitaplar", "kitaplar"]
    lemmas = [each.lemma for each in trees.candidates("Öğretmenler", 10)]
    assert lemmas == ["Öğretmen", "öğretmen", "Öğretmenler", "öğretmenler"]
    assert trees.candidates("Öğretmenler", 1)[0].lemma == "Öğretmen"


def test_a_rare_tree_that_is_always_right_goes_before_a_frequent_one_that_is_not() -> None:
    words = [("cats", "cat"), ("dogs", "dog"), ("bus", "bus"), ("glass", "glass"), ("boss", "boss")]
    index = EditTreeIndex(trees_of(words), words)
    assert index.candidates("moss", 1)[0].lemma == "moss"
    assert index.candidates("hats", 1)[0].lemma == "hat"


def test_a_form_without_any_tree_is_its_own_lemma() -> None:
    assert [each.lemma for each in EditTreeIndex([]).candidates("x", 5)] == ["x"]
