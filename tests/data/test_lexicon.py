"""A user's lexicon in the tagset of a model."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.lexicon import in_tagset, read_lexicon
from allennlp_svae.data.sentence import Triple
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.tagsets import tagset


def test_entries_come_in_the_tagset(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.tsv"
    path.write_text("wug\twugs\tN;PL\n\nblick\tblickt\tVERB;Tense=Past\n", encoding="utf-8")
    assert list(read_lexicon(str(path), "paper")) == [
        Triple("wugs", "wug", MorphTag.parse("N;PL")),
        Triple("blickt", "blick", MorphTag.parse("V;PST")),
    ]
    assert list(read_lexicon(str(path), "ud")) == [
        Triple("wugs", "wug", MorphTag.parse("NOUN;Number=Plur")),
        Triple("blickt", "blick", MorphTag.parse("VERB;Tense=Past")),
    ]


def test_a_treebank_is_a_lexicon_if_it_is_annotated(tmp_path: Path) -> None:
    path = tmp_path / "words.conllu"
    columns = "1\twugs\twug\tNOUN\t_\tNumber=Plur\t_\t_\t_\t_\n\n"
    path.write_text(columns, encoding="utf-8")
    assert list(read_lexicon(str(path), "ud")) == [
        Triple("wugs", "wug", MorphTag.parse("NOUN;Number=Plur"))
    ]
    assert list(read_lexicon(str(path), "paper")) == [Triple("wugs", "wug", MorphTag.parse("N;PL"))]
    path.write_text(columns.replace("\twug\tNOUN", "\t_\tNOUN"), encoding="utf-8")
    with pytest.raises(DataError, match="lists nothing") as raised:
        list(read_lexicon(str(path), "ud"))
    assert str(path) in str(raised.value)


@given(
    st.sampled_from(["NOUN", "VERB", "ADJ", "PUNCT"]),
    st.dictionaries(st.sampled_from(["Case", "Number"]), st.sampled_from(["Acc", "Sing"])),
)
def test_ud_tags_are_encoded_as_those_of_a_treebank(upos: str, feats: dict) -> None:
    tag = tagset("ud").encode(upos, feats)
    for name in ("paper", "lossless", "ud"):
        assert in_tagset(tag, name) == tagset(name).encode(upos, feats)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("wug\twugs\n", 1, "2 tab-separated columns"),
        ("wug\twugs\tN;PL\nblick\t\tN\n", 2, "The form is empty"),
        ("\twugs\tN;PL\n", 1, "The lemma is empty"),
        ("wug\twugs\tN;;PL\n", 1, "empty item"),
        ("", None, "holds no inflection"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(
    text: str, line: int, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "lexicon.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=problem) as raised:
        list(read_lexicon(str(path), "ud"))
    assert str(path) in str(raised.value)
    assert line is None or f":{line}" in str(raised.value)
