"""Counts and neighbors of the words of raw text, against counting by hand."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.raw_text import CAPITAL, CAPITAL_AT_START, EDGE, LOWER, RawText
from allennlp_svae.data.word_features import fold

FORMS = st.text("aAbBiİ1 .\n", max_size=3)


def test_a_word_is_counted_in_each_casing() -> None:
    text = RawText([["Ev", "ev", "Ev", "EV"], [], ["7"]])
    assert text.words == ["ev", "7"]
    assert text.counts[0, [LOWER, CAPITAL, CAPITAL_AT_START]].tolist() == [1, 2, 1]
    assert text.counts[1, LOWER] == 1
    assert text.sequence.tolist() == [EDGE, 0, 0, 0, 0, EDGE, EDGE, 1, EDGE]


@given(st.lists(st.lists(FORMS, max_size=4), max_size=4))
def test_all_but_empty_forms_are_kept_in_order(sentences: list) -> None:
    text = RawText(sentences)
    expected = Counter(fold(form) for forms in sentences for form in forms if form)
    totals = text.counts.sum(axis=1).tolist()
    assert dict(zip(text.words, totals, strict=True)) == expected
    parts = np.split(text.sequence, np.flatnonzero(text.sequence == EDGE))[1:-1]
    assert [[text.words[place] for place in part[1:]] for part in parts] == [
        [fold(form) for form in forms if form] for forms in sentences
    ]
