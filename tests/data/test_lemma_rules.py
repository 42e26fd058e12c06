"""Casings, and how a lemma comes from a form."""

from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.edit_tree import parse
from allennlp_svae.data.lemma_rules import analyze, casings


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
