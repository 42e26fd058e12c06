from pathlib import Path

import pytest

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.inflections import InflectionsReader
from allennlp_svae.modules.form_ranker import attested_words
from allennlp_svae.modules.lexicon import Lexicon
from allennlp_svae.training.vocabulary import TreebankVocabulary


def test_text_gives_attested_forms_and_characters(tmp_path: Path) -> None:
    labeled = tmp_path / "labeled.tsv"
    labeled.write_text("ko\tkon\tN;ACC;SG\n", encoding="utf-8")
    raw = tmp_path / "raw.txt"
    raw.write_text("Kon žala .\n", encoding="utf-8")
    vocab = TreebankVocabulary.from_treebank([], InflectionsReader(), str(labeled), [f"{raw}#raw"])
    attested = vocab.get_token_to_index_vocabulary("attested_forms")
    assert {"Kon", "žala", ".", "kon"} <= set(attested)
    assert "ko" not in attested
    characters = vocab.get_token_to_index_vocabulary("characters")
    assert {"k", "n", "K", "ž", "."} <= set(characters)
    assert set(vocab.get_token_to_index_vocabulary("lemmas")) & {"ko", "Kon"} == {"ko"}


@pytest.mark.parametrize(("form", "are_kept"), [("Konin", True), ("konin", False)])
def test_capitals_of_the_raw_text_are_kept_if_labelled_words_bear_them_out(
    tmp_path: Path, form: str, are_kept: bool
) -> None:
    labeled = tmp_path / "labeled.tsv"
    lines = [f"{lemma}\t{form}\tN;ACC;SG\n" for lemma in ("koni", "konia", "konin")]
    labeled.write_text("".join(lines), encoding="utf-8")
    raw = tmp_path / "raw.txt"
    raw.write_text("Mi la Konin , la Žalan .\n", encoding="utf-8")
    vocab = TreebankVocabulary.from_treebank([], InflectionsReader(), str(labeled), [f"{raw}#raw"])
    kept = attested_words(vocab, "capitalized_words")
    assert kept == ({"konin", "žalan"} if are_kept else set())


def test_a_lexicon_is_kept_in_the_tagset_of_the_treebank(tmp_path: Path) -> None:
    labeled = tmp_path / "labeled.tsv"
    labeled.write_text("ko\tkon\tN;ACC;SG\n", encoding="utf-8")
    entries = tmp_path / "lexicon.tsv"
    entries.write_text("wug\twugs\tNOUN;Number=Plur\nwug\twugs\tN;PL\n", encoding="utf-8")
    vocab = TreebankVocabulary.from_treebank(
        [], InflectionsReader(tagset="paper"), str(labeled), lexicon=str(entries)
    )
    lexicon = Lexicon(vocab)
    assert lexicon.lemmas("wugs") == ["wug"]
    assert lexicon.tags_of("wugs") == [MorphTag.parse("N;PL")]
    assert "wugs" not in vocab.get_token_to_index_vocabulary("attested_forms")


def test_two_encodings_of_a_word_are_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    labeled = tmp_path / "labeled.tsv"
    labeled.write_text("ça\tçan\tN;ACC;SG\n", encoding="utf-8")
    raw = tmp_path / "raw.txt"
    for text, warned in (("can ça", False), ("c\u0327an", True)):
        raw.write_text(f"{text}\n", encoding="utf-8")
        TreebankVocabulary.from_treebank([], InflectionsReader(), str(labeled), [f"{raw}#raw"])
        assert (
            any(
                "and 0 other words of the text" in each and "Remedy" in each
                for each in caplog.messages
            )
            is warned
        )
