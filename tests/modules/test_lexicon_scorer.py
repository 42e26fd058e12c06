"""A lexicon's part in the scores, from a config to an archive that needs no lexicon any more."""

import json
from pathlib import Path
from typing import Callable

import pytest

from allennlp_svae.data.errors import DataError
from tests.small_runs import analyzed, train_small

# `Blickasta` is listed with a lemma that no rule makes and a tag that no word of the treebank has.
ENTRY = "blickkonen\tblickasta\tNOUN;Case=Ela;Number=Dual\n"


def test_an_archive_lists_what_the_lexicon_did(
    allennlp: Callable[..., None], tmp_path: Path, treebank: Path
) -> None:
    file = tmp_path / "lexicon.tsv"
    file.write_text(ENTRY, encoding="utf-8")
    archive = train_small(
        allennlp, tmp_path, "tagger_lemmatizer", treebank, tagset="ud", lexicon=str(file)
    )
    file.unlink()
    text = tmp_path / "text.txt"
    text.write_text("Blickasta .\n", encoding="utf-8")
    output = tmp_path / "best.conllu"
    options = ["--predictor", "analyze", "--use-dataset-reader", "--silent"]
    k_best = ["--predictor-args", json.dumps({"k_best": 2000})]
    allennlp("predict", archive, text, *options, *k_best, "--output-file", output)
    found = output.read_text(encoding="utf-8")
    assert "\tblickkonen\tNOUN\t_\tCase=Ela|Number=Dual\t" in found
    assert "\tblickkonen\tNOUN\t_\tCase=Ela|Number=Sing\t" in found
    assert analyzed(allennlp, archive, text, tmp_path / "one.conllu").count("\n1\t") == 1


def test_a_bad_line_is_named_before_training(
    allennlp: Callable[..., None], tmp_path: Path, treebank: Path
) -> None:
    file = tmp_path / "lexicon.tsv"
    file.write_text(f"{ENTRY}wug wugs N;PL\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"lexicon\.tsv:2") as raised:
        train_small(allennlp, tmp_path, "tagger_lemmatizer", treebank, lexicon=str(file))
    assert "lemma, form and features" in str(raised.value)
