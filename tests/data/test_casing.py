import sys
from itertools import product
from typing import List, Set

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.casing import (
    Casing,
    Reading,
    apply_casing,
    can_be_capitalized,
    capitalize,
    differ_in_case,
    has_dotted_i,
    likely_reading,
    readings,
)

LETTERS = ["", "a", "A", "i", "İ", "ı", "I", "s", "ſ", "S", "ß", "ǆ", "ǅ", "Ǆ", "ф", "Ф", "א", "1"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["kedi", "ırmak", "balık"], True),
        (["İzmir", "ev"], True),
        (["house", "Istanbul", "in"], False),
        # One name among a hundred words.
        (["Diyarbakır", *(f"word{number}" for number in range(99))], False),
        ([], False),
    ],
)
def test_turkish_is_told_by_how_many_words_have_its_letters(
    words: List[str], expected: bool
) -> None:
    assert has_dotted_i(words) == expected


@pytest.mark.parametrize(
    ("word", "dotted", "expected"),
    [
        ("ev", False, "Ev"),
        ("iş", True, "İş"),
        ("iş", False, "Iş"),
        ("ışık", True, "Işık"),
        ("ßa", False, "ßa"),
        ("", True, ""),
        ("Ev", False, "Ev"),
    ],
)
def test_capitalize(word: str, dotted: bool, expected: str) -> None:
    assert capitalize(word, dotted) == expected


@pytest.mark.parametrize("form", [first + rest for first, rest in product(LETTERS, ["", "b"])])
@pytest.mark.parametrize("dotted", [True, False])
def test_readings_are_all_that_give_the_form(form: str, dotted: bool) -> None:
    expected: Set[Reading] = {Reading(Casing.AS_WRITTEN, form)}
    if form:
        for first in map(chr, range(sys.maxunicode + 1)):
            if capitalize(first + form[1:], dotted) == form:
                expected.add(Reading(Casing.CAPITALIZED, first + form[1:]))
    else:
        expected.add(Reading(Casing.CAPITALIZED, ""))
    found = readings(form, "lemma", dotted)
    assert len(found) == len(expected)
    assert set(found) == expected


@given(st.text(max_size=4), st.text(max_size=4), st.booleans())
def test_readings_give_the_form_back(form: str, lemma: str, dotted: bool) -> None:
    likely = likely_reading(form, lemma, dotted)
    assert likely in readings(form, lemma, dotted)
    for casing, base in readings(form, lemma, dotted):
        assert apply_casing(casing, base, dotted) == form


@pytest.mark.parametrize(
    ("form", "lemma", "dotted", "expected"),
    [
        ("Evler", "ev", False, (Casing.CAPITALIZED, "evler")),
        ("evler", "ev", False, (Casing.AS_WRITTEN, "evler")),
        ("İşte", "iş", True, (Casing.CAPITALIZED, "işte")),
        ("Işık", "ışık", True, (Casing.CAPITALIZED, "ışık")),
        ("It", "i", False, (Casing.CAPITALIZED, "it")),
        ("Ankara'da", "Ankara", True, (Casing.AS_WRITTEN, "Ankara'da")),
        ("Went", "go", False, (Casing.CAPITALIZED, "went")),
        ("", "go", False, (Casing.AS_WRITTEN, "")),
    ],
)
def test_likely_reading(form: str, lemma: str, dotted: bool, expected: Reading) -> None:
    assert likely_reading(form, lemma, dotted) == expected


def test_only_lower_case_lemmas_have_a_choice() -> None:
    assert [can_be_capitalized(word) for word in ("ev", "Ev", "", "1", "א")] == [
        True,
        False,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Ev", "ev", True),
        ("İyi", "iyi", True),
        ("IRMAKLI", "ırmaklı", True),
        ("Irish", "irish", True),
        ("KİTAPLARI", "kitapları", True),
        ("ΟΔΟΣ", "οδος", True),
        ("ev", "ev", False),
        ("Ev", "evi", False),
        ("iyi", "ıyı", False),
        ("Istanbul", "İstanbul", False),
        ("İrmak", "ırmak", False),
    ],
)
def test_case_includes_the_turkish_pairs(first, second, expected):
    assert differ_in_case(first, second) is expected
    assert differ_in_case(second, first) is expected
