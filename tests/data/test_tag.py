import pytest
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.tag import UD_POS, UNIMORPH_POS, MorphTag

features = st.frozensets(st.from_regex(r"[A-Z][A-Za-z]*=[A-Z0-9][a-z]*", fullmatch=True))


@given(st.sampled_from(sorted(UNIMORPH_POS | UD_POS | {"_"})), features)
def test_is_its_text_read_back(pos, features):
    tag = MorphTag(pos, features)
    assert MorphTag.parse(str(tag)) == tag


@given(st.permutations(["V", "PST", "3", "SG", "V.PTCP"]))
def test_order_of_the_items_does_not_matter(items):
    assert MorphTag.parse(";".join(items)) == MorphTag.of("V", ["V.PTCP", "3", "PST", "SG"])


def test_parts_are_in_one_order():
    tag = MorphTag.of("N", ["SG", "ACC"])
    assert tag.parts == ("N", "ACC", "SG")
    assert str(tag) == "N;ACC;SG"
    assert tag < MorphTag.of("N", ["SG", "DAT"]) < MorphTag.of("V")


@given(st.lists(st.builds(MorphTag, st.sampled_from("NV"), features), min_size=2, max_size=2))
def test_tags_are_ordered_by_their_parts(tags):
    first, second = tags
    of_parts = first.parts < second.parts, first.parts <= second.parts
    assert (first < second, first <= second) == of_parts
    assert (second > first, second >= first) == of_parts
    assert max(tags).parts == max(tag.parts for tag in tags)


def test_a_tag_without_part_of_speech():
    assert MorphTag.parse("_") == MorphTag("_")
    assert str(MorphTag("_")) == "_"
    assert MorphTag.parse("PL;ACC") == MorphTag.of("_", ["ACC", "PL"])
    assert str(MorphTag.of("_", ["PL", "ACC"])) == "ACC;PL"


def test_a_verb_form_is_a_part_of_speech_only_where_there_is_no_other():
    assert MorphTag.parse("PST;V.PTCP").pos == "V.PTCP"
    assert MorphTag.parse("PST;V.PTCP;ADJ").pos == "ADJ"


@pytest.mark.parametrize("text", ["", "N;;SG", "N; ", ";N"])
def test_an_empty_item_is_an_error(text):
    with pytest.raises(ValueError, match="empty item"):
        MorphTag.parse(text)
