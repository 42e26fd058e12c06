"""A user's lexicon in the tagset of a model."""

from pathlib import Path
from typing import Dict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.lexicon import in_tagset, read_lexicon
from allennlp_svae.data.sentence import Triple, triples_of
from allennlp_svae.data.tag import UD_POS, MorphTag
from allennlp_svae.data.tagsets import tagset
from allennlp_svae.data.treebank import read_sentences
from tests.data.locations import DEMO


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
    st.sampled_from(sorted(UD_POS - {"CONJ"})),
    st.dictionaries(st.sampled_from(["Case", "Number"]), st.sampled_from(["Acc", "Sing"])),
    st.sampled_from(["paper", "lossless", "ud"]),
)
def test_ud_tags_are_encoded_as_those_of_a_treebank(
    upos: str, feats: Dict[str, str], name: str
) -> None:
    assert in_tagset(tagset("ud").encode(upos, feats), name) == tagset(name).encode(upos, feats)


@given(
    st.sampled_from(sorted(UD_POS)),
    st.dictionaries(st.sampled_from(["Case", "NumType"]), st.sampled_from(["Acc", "Card"])),
)
def test_tags_of_the_tagset_stay_as_they_are(upos: str, feats: Dict[str, str]) -> None:
    tag = tagset("lossless").encode(upos, feats)
    assert in_tagset(tag, "lossless") == tag


def test_a_conjunction_is_one_in_either_notation() -> None:
    conjunction = MorphTag("CONJ")
    assert in_tagset(conjunction, "paper") == conjunction
    assert in_tagset(conjunction, "lossless") == conjunction
    assert in_tagset(conjunction, "ud") == MorphTag("CCONJ")


@pytest.mark.parametrize("name", ["paper", "lossless", "ud"])
def test_a_treebank_lists_the_tags_that_its_words_have(name: str) -> None:
    path = str(DEMO / "train.conllu")
    assert list(read_lexicon(path, name)) == list(triples_of(read_sentences(path, name)))


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
