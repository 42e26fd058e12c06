from pathlib import Path

import pytest

from allennlp_svae.dataset_readers.inflections import InflectionsReader
from allennlp_svae.dataset_readers.tagged_sentences import TaggedSentencesReader
from allennlp_svae.dataset_readers.treebank_reader import TreebankReader
from allennlp_svae.modules.dotted_i import dotted_i
from allennlp_svae.training.vocabulary import TreebankVocabulary

TURKISH = "1\tkapılar\tkapı\tNOUN\t_\tNumber=Plur\t_\t_\t_\t_\n\n"
ENGLISH = "1\tdoors\tdoor\tNOUN\t_\tNumber=Plur\t_\t_\t_\t_\n\n"


@pytest.mark.parametrize("reader", [InflectionsReader(), TaggedSentencesReader()])
@pytest.mark.parametrize(("labeled", "expected"), [(TURKISH, True), (ENGLISH, False)])
def test_a_name_in_the_raw_text_does_not_decide(
    reader: TreebankReader, labeled: str, expected: bool, tmp_path: Path
) -> None:
    words = " ".join(f"word{number}" for number in range(60 if labeled == ENGLISH else 20))
    (tmp_path / "train.conllu").write_text(labeled, encoding="utf-8")
    (tmp_path / "raw.txt").write_text(f"{words} İzmir\n", encoding="utf-8")
    vocab = TreebankVocabulary.from_treebank(
        [], reader, str(tmp_path / "train.conllu"), [str(tmp_path / "raw.txt")]
    )
    assert dotted_i(vocab) == expected
    vocab.save_to_files(str(tmp_path / "vocabulary"))
    assert dotted_i(TreebankVocabulary.from_files(str(tmp_path / "vocabulary"))) == expected
