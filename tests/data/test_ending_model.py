"""What the end of a text tells of its label, against the n-grams themselves."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.ending_model import EndingModel, TagModel
from allennlp_svae.data.tag import MorphTag

LABELED = st.lists(st.tuples(st.text("ab", max_size=4), st.sampled_from("XY")), min_size=1)


def test_endings_tell_labels_apart() -> None:
    model = EndingModel([("laulma", "V"), ("nutma", "V"), ("maja", "N"), ("kala", "N")])
    verb, noun = model.log_probs([("hakkama", "V"), ("hakkama", "N")])
    assert noun < verb < 0.0
    verb, noun = model.log_probs([("kaja", "V"), ("kaja", "N")])
    assert verb < noun < 0.0


@pytest.mark.parametrize("order", [2, 3, 4])
def test_the_label_is_one_symbol_of_the_longest_ngrams(order: int) -> None:
    tail = "a" * (order - 2)
    model = EndingModel([("x" + tail, "X"), ("y" + tail, "Y")], order)
    right, wrong = model.log_probs([("x" + tail, "X"), ("x" + tail, "Y")])
    assert wrong < right - 0.1


@given(LABELED, st.text("abc", max_size=8), st.integers(2, 4))
def test_labels_and_characters_share_what_there_is(labeled, text, order) -> None:
    model = EndingModel(labeled, order)
    labels = sorted({label for _, label in labeled})
    log_probs = model.log_probs([(text, label) for label in [*labels, "unknown"]])
    # Another character may follow as well.
    assert 0.0 < math.fsum(map(math.exp, log_probs)) < 1.0


@given(LABELED, st.text("abc", min_size=4, max_size=8), st.text("abc", max_size=3))
def test_only_the_end_counts(labeled, text, beginning) -> None:
    model = EndingModel(labeled, order=4)
    asked = [(text, "X"), (beginning + text, "X"), (text, "X")]
    first, *others = model.log_probs(asked)
    assert others == pytest.approx([first, first])


def test_without_texts_all_are_alike() -> None:
    assert EndingModel([]).log_probs([("a", "X"), ("", "Y")]) == [0.0, 0.0]
    assert EndingModel([("a", "X")]).log_probs([]) == []


def test_tags_are_told_apart_within_their_part_of_speech() -> None:
    tagged = [("majas", "N;INE"), ("metsas", "N;INE"), ("maja", "N;NOM"), ("laulab", "V;PRS")]
    model = TagModel((text, MorphTag.parse(tag)) for text, tag in tagged)
    asked = [("linnas", "N;INE"), ("linnas", "N;NOM"), ("linnas", "V;PRS")]
    tags, poses = (
        EndingModel((text, label(tag)) for text, tag in tagged)
        for label in (str, lambda tag: tag.partition(";")[0])
    )
    expected = [
        tags.log_probs([(text, tag)])[0] - poses.log_probs([(text, tag[0])])[0]
        for text, tag in asked
    ]
    found = model.scores([(text, MorphTag.parse(tag)) for text, tag in asked])
    assert found == pytest.approx(expected)
    assert found[1] < found[0]
