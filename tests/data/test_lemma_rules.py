"""Casings, edit trees found by index, and the candidates they make."""

from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.edit_tree import parse
from allennlp_svae.data.lemma_rules import EditTreeIndex, analyze, candidates, casings

words = st.text("abAB", max_size=6)


def test_casings_are_distinct_strings_with_both_turkish_readings() -> None:
    assert casings("ev") == (("same", "ev"),)
    assert dict(casings("Irak")) == {"same": "Irak", "first": "irak", "first-dotless": "ırak"}
    assert dict(casings("İŞ")) == {"same": "İŞ", "first": "iŞ", "all": "iş"}


@given(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8))
def test_an_analysis_rebuilds_its_lemma(form: str, lemma: str) -> None:
    analysis = analyze(form, lemma)
    assert parse(analysis.tree).apply(dict((*casings(form),))[analysis.casing]) == lemma


def test_the_casing_is_not_part_of_the_tree() -> None:
    assert analyze("Kitabı", "kitap").tree == analyze("kitabı", "kitap").tree
    assert analyze("Kitabı", "kitap").casing == "first"
    assert analyze("Ankara'da", "Ankara").casing == "same"


@given(st.lists(st.tuples(words, words), max_size=8), words)
def test_the_index_finds_what_trying_every_tree_finds(pairs: list, form: str) -> None:
    trees = list(dict.fromkeys(analyze(*pair).tree for pair in pairs))
    tried = [(rank, tree, parse(tree).apply(form)) for rank, tree in enumerate(trees)]
    assert EditTreeIndex(trees).apply(form) == [each for each in tried if each[2]]


def test_candidates_are_distinct_by_trust_and_hold_the_form_itself() -> None:
    trees = EditTreeIndex([analyze("evler", "ev").tree, analyze("eve", "ev").tree])
    lemmas = [each.lemma for each in candidates("Kitaplar", trees, 10)]
    assert lemmas == ["Kitaplar", "kitaplar"]
    lemmas = [each.lemma for each in candidates("Öğretmenler", trees, 10)]
    assert lemmas == ["Öğretmen", "öğretmen", "Öğretmenler", "öğretmenler"]
    assert candidates("Öğretmenler", trees, 1)[0].lemma == "Öğretmen"


def test_a_form_without_any_tree_is_its_own_lemma() -> None:
    assert [each.lemma for each in candidates("x", EditTreeIndex([]), 5)] == ["x"]
