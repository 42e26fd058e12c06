from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.conllu_columns import escape_misc, format_feats, merge_misc, parse_feats

names = st.text("aBÖ1,[]+{}/", min_size=1)


@given(st.dictionaries(names, names))
def test_feats_are_read_back(feats):
    assert parse_feats(format_feats(feats)) == feats


def test_feats_are_in_uds_order():
    assert format_feats({"Number[psor]": "Sing", "abc": "1", "Number": "Plur"}) == (
        "abc=1|Number=Plur|Number[psor]=Sing"
    )
    assert format_feats({}) == "_"


def test_what_is_added_to_misc_takes_the_place_of_its_name_alone():
    column = "SpaceAfter=No|Gloss=x|Conf=0.10"
    assert merge_misc(column, {"Conf": "0.93", "Gloss2": "a b"}) == (
        "SpaceAfter=No|Gloss=x|Conf=0.93|Gloss2=a\\sb"
    )
    assert merge_misc("_", {"Conf": "1"}) == "Conf=1"


@given(st.text())
def test_escaped_text_stays_in_its_column(text):
    escaped = escape_misc(text)
    assert not set(escaped) & set("|\t\n\r ")
    assert len({escape_misc(text + end) for end in ("", "|", "p", "\\p")}) == 4
