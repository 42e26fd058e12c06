"""A lexicon's part in the scores: by hand, and from a config to an archive that needs no lexicon any more."""

import json
import math
from pathlib import Path
from typing import Callable

import pytest
import torch
from allennlp.data import Vocabulary

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Triple
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.inflections import MORPHOLOGY
from allennlp_svae.modules.lexicon import LEXICON, Lexicon, entry_token
from allennlp_svae.modules.lexicon_scorer import LexiconScorer
from allennlp_svae.modules.tag_inventory import TagInventory
from tests.small_runs import analyzed, train_small

# `Blickasta` is listed with a lemma that no rule makes and a tag that no word of the treebank has.
ENTRY = "blickkonen\tblickasta\tNOUN;Case=Ela;Number=Dual\n"


def test_scores_are_those_of_the_listed_tag_part_of_speech_and_parts() -> None:
    plural, singular, dual = (MorphTag.parse(f"NOUN;Number={each}") for each in ("P", "S", "D"))
    verb = MorphTag("VERB")
    entries = [Triple("wugs", "wug", plural), Triple("wuga", "wug", dual)]
    vocab = Vocabulary(
        tokens_to_add={
            LEXICON: [entry_token(entry) for entry in entries],
            MORPHOLOGY: [str(tag) for tag in (plural, singular, verb)],
        }
    )
    # The dual is the lexicon's alone.
    inventory = TagInventory(vocab, further=[dual])
    scorer = LexiconScorer(Lexicon(vocab), inventory, num_everywhere=3)
    with torch.no_grad():
        scorer.listed.copy_(torch.tensor([2.0, 0.5]))
        scorer.parts.weight[inventory.part_ids["VERB"], inventory.part_ids["Number=P"]] = -4.0
    scores = scorer([["wugs", "wuga"], ["blick"]])
    assert inventory.tags == [plural, singular, verb, dual]
    assert scores[0].tolist() == [[2.5, 0.5, -4.0, -math.inf], [0.5, 0.5, 0.0, 2.5]]
    assert scores[1, 0].tolist() == [0.0, 0.0, 0.0, -math.inf]


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
