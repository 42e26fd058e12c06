import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Triple
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.text_file import Line
from allennlp_svae.data.unimorph_tsv import (
    Inflection,
    parse_inflection,
    read_inflections,
    write_inflections,
)
from tests.data.locations import TINY

# What no column can hold: its own ends, and half a character.
columns = st.text(
    st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]), min_size=1
).filter(str.strip)


def test_reads_inflections():
    inflections = list(read_inflections(str(TINY / "inflections.tsv")))
    assert len(inflections) == 8
    assert inflections[1] == Inflection("ırmak", "ırmaktan", MorphTag.parse("N;AT+ABL;SG"))
    assert inflections[6] == Inflection("boot up", "booted up", MorphTag.parse("V;PST;V.PTCP"))
    assert inflections[7].tag == MorphTag.of("PRO", ["{ACC/DAT}", "2", "SG"])


def test_forms_may_be_asked_for():
    path = str(TINY / "asked.tsv")
    asked = list(read_inflections(path, allow_missing_form=True))
    assert [each.form for each in asked] == [None, None, "городам"]
    assert asked[1] == Inflection("ırmak", None, MorphTag.parse("N;IN+ESS;SG"))
    with pytest.raises(DataError, match="form is empty"):
        list(read_inflections(path))


@given(lemma=columns, form=st.none() | columns)
def test_what_is_written_is_read_back(lemma, form):
    inflection = Inflection(lemma, form, MorphTag.parse("N;ACC;{DU/PL}"))
    file = io.StringIO()
    write_inflections(file, [inflection])
    line = Line(1, file.getvalue().removesuffix("\n"))
    assert parse_inflection(line, "a.tsv", allow_missing_form=True) == inflection


def test_writes_to_a_path(tmp_path):
    path = str(tmp_path / "a.tsv")
    inflections = list(read_inflections(str(TINY / "inflections.tsv")))
    write_inflections(path, inflections)
    assert list(read_inflections(path)) == inflections


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("weep wept V;PST", "1 tab-separated columns"),
        ("weep\twept", "2 tab-separated columns"),
        ("weep\twept\tV;PST\t", "4 tab-separated columns"),
        ("\twept\tV;PST", "lemma is empty"),
        ("weep\t\tV;PST", "form is empty"),
        ("weep\twept\tV;;PST", "empty item"),
        ("weep\twept\t", "empty item"),
    ],
)
def test_a_malformed_line_is_an_error_with_its_number(tmp_path, line, problem):
    path = tmp_path / "a.tsv"
    path.write_text(f"go\twent\tV;PST\n\n{line}\n")
    with pytest.raises(DataError, match=problem) as caught:
        list(read_inflections(str(path)))
    assert (caught.value.path, caught.value.line) == (str(path), 3)
    assert caught.value.remedy


def test_what_may_be_written_where_forms_may_be_missing_is_said(tmp_path):
    path = tmp_path / "asked.tsv"
    path.write_text("weep V;PST\n")
    expected = r"columns, not 2 or 3\. Remedy: write lemma and features \(`weep<TAB>V;PST`\)"
    with pytest.raises(DataError, match=expected):
        list(read_inflections(str(path), allow_missing_form=True))


def test_an_empty_file_is_an_error(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("\n")
    with pytest.raises(DataError, match="no inflection"):
        list(read_inflections(str(path)))


def test_what_no_column_can_hold_is_an_error():
    with pytest.raises(DataError, match="cannot hold"):
        write_inflections(io.StringIO(), [Triple("a\tb", "a", MorphTag("N"))])
