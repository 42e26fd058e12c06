"""The lexicon of a vocabulary, before and after it is saved."""

from pathlib import Path

import pytest
from allennlp.data import Vocabulary

from allennlp_svae.data.sentence import Triple
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.modules.lexicon import LEXICON, Lexicon, entry_token

SING, PLUR = MorphTag.parse("NOUN;Number=Sing"), MorphTag.parse("NOUN;Number=Plur")
ENTRIES = [
    Triple("wugs", "wug", PLUR),
    Triple("wugs", "wugs", SING),
    Triple("Wugs", "Wugs", SING),
    Triple("New York", "New York", MorphTag("PROPN")),
]


@pytest.fixture
def vocab() -> Vocabulary:
    return Vocabulary(tokens_to_add={LEXICON: [entry_token(entry) for entry in ENTRIES]})


def test_forms_are_looked_up_as_written_before_case_is_folded(vocab: Vocabulary) -> None:
    lexicon = Lexicon(vocab)
    assert len(lexicon) == 3
    assert lexicon.lemmas("wugs") == ["wug", "wugs"]
    assert lexicon.tags_of("wugs") == [PLUR, SING]
    assert lexicon.lemmas("Wugs") == ["Wugs"]
    assert lexicon.lemmas("WUGS") == ["wug", "wugs"]
    assert lexicon.lemmas("New York") == ["New York"]
    assert lexicon.lemmas("new york") == lexicon.tags_of("blick") == []
    assert lexicon.tags == {SING, PLUR, MorphTag("PROPN")}
    assert len(lexicon) == 3


def test_a_saved_vocabulary_holds_the_same_lexicon(vocab: Vocabulary, tmp_path: Path) -> None:
    vocab.save_to_files(str(tmp_path / "vocabulary"))
    loaded = Lexicon(Vocabulary.from_files(str(tmp_path / "vocabulary")))
    original = Lexicon(vocab)
    assert loaded.tags == original.tags
    for form, _, _ in ENTRIES:
        assert loaded.lemmas(form) == original.lemmas(form)
        assert loaded.tags_of(form) == original.tags_of(form)


def test_a_vocabulary_without_entries_is_an_empty_lexicon() -> None:
    assert len(Lexicon(Vocabulary())) == 0
