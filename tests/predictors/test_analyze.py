"""How sure `analyze` says it is, by an archive of the tagger-lemmatizer's own config."""

import json
import math
import re
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.models import load_archive
from allennlp.predictors import Predictor

from allennlp_svae.data.conllu_format import SentenceBlock, read_blocks, to_sentence
from allennlp_svae.data.errors import DataError
from tests.conftest import ROOT
from tests.small_runs import train_small

QUIRKS = ROOT / "fixtures" / "tiny" / "quirks.conllu"


@pytest.fixture(scope="module")
def archive(
    tmp_path_factory: pytest.TempPathFactory, allennlp: Callable[..., None], treebank: Path
) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return train_small(allennlp, folder, "tagger_lemmatizer", treebank, tagset="ud")


@pytest.fixture
def analyze(
    archive: Path, allennlp: Callable[..., None], tmp_path: Path
) -> Callable[..., List[SentenceBlock]]:
    def call(source: Path, **arguments: object) -> List[SentenceBlock]:
        output = tmp_path / f"out_{len(list(tmp_path.iterdir()))}.conllu"
        options = ["--predictor", "analyze", "--use-dataset-reader", "--silent"]
        given = ["--predictor-args", json.dumps(arguments), "--output-file", output]
        allennlp("predict", archive, source, *options, *given)
        return list(read_blocks(str(output)))

    return call


def confidences(block: SentenceBlock) -> List[float]:
    """What MISC says of the words: of all of them or of none."""
    words = [row for row in block if isinstance(row["id"], int)]
    found = [re.search(r"(?:^|\|)Conf=([01]\.\d\d)(?:\||$)", row["misc"]) for row in words]
    assert all(found) or not any(found)
    return [float(match[1]) for match in found if match]


def test_confidences_stand_in_misc_beside_what_is_there(
    analyze: Callable[..., List[SentenceBlock]],
) -> None:
    plain, sure = analyze(QUIRKS), analyze(QUIRKS, confidence=True)
    assert "SpaceAfter=No" in {row["misc"] for block in plain for row in block}
    for block, other in zip(plain, sure, strict=True):
        assert to_sentence(block, "ud") == to_sentence(other, "ud")
        assert not confidences(block)
        told = iter(confidences(other))
        for row, other_row in zip(block, other, strict=True):
            if isinstance(row["id"], int):
                kept = [] if row["misc"] == "_" else [row["misc"]]
                assert other_row["misc"] == "|".join([*kept, f"Conf={next(told):.2f}"])
            else:
                assert other_row == row


def test_confidences_are_calibrated_on_dev(
    archive: Path, treebank: Path, analyze: Callable[..., List[SentenceBlock]]
) -> None:
    (dev,) = treebank.glob("*-dev.conllu")
    told, right = [], []
    blocks = analyze(dev, confidence=True)
    for block, gold in zip(blocks, read_blocks(str(dev)), strict=True):
        told += confidences(block)
        pairs = zip(to_sentence(block, "ud").tokens, to_sentence(gold, "ud").tokens, strict=True)
        right += [answer == token for answer, token in pairs]
    model = load_archive(archive).model
    # Where the likelihood times b's normal density is at its maximum, b is by how much all are told to be too sure.
    too_sure = model.calibration.bias.item() / len(told)
    assert abs(too_sure) < 0.02
    assert sum(told) / len(told) == pytest.approx(sum(right) / len(right) + too_sure, abs=0.005)
    instances = list(load_archive(archive).validation_dataset_reader.read(str(dev)))
    posteriors = model.posteriors(instances, model.annotate(instances))
    raw = [each for of_sentence in posteriors for each in of_sentence]
    assert abs(sum(raw) / len(raw) - sum(right) / len(right)) > 0.05


def test_each_of_the_best_has_its_confidences(
    analyze: Callable[..., List[SentenceBlock]], tmp_path: Path
) -> None:
    source = tmp_path / "one.txt"
    source.write_text("blickets\n", encoding="utf-8")
    (best,) = analyze(source, confidence=True)
    ranked = analyze(source, confidence=True, k_best=5)
    assert confidences(ranked[0]) == confidences(best)
    # In a sentence of one word the posterior of a pair is that of the whole annotation.
    told = [confidence for block in ranked for confidence in confidences(block)]
    assert told == sorted(told, reverse=True)
    log_probs = [float(block.metadata["log_prob"]) for block in ranked]
    assert len({f"{math.exp(each):.2f}" for each in log_probs}) > 1
    assert len(set(told)) > 1


@pytest.mark.parametrize(
    "wrong", [{"k_best": 0}, {"k_best": "3"}, {"k_best": True}, {"confidence": "yes"}], ids=str
)
def test_wrong_arguments_are_refused(archive: Path, wrong: Dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=f"`{next(iter(wrong))}` is"):
        Predictor.from_archive(load_archive(archive), "analyze", extra_args=wrong)


def test_a_sentence_is_given_in_one_way(archive: Path) -> None:
    predictor = Predictor.from_archive(load_archive(archive), "analyze")
    assert predictor.predict_json({"sentence": "a b"}) == predictor.predict_json(
        {"forms": ["a", "b"]}
    )
    for wrong in ({"sentence": "a", "forms": ["b"]}, {"sentence": ["a"]}, {"forms": "a"}, {}):
        with pytest.raises(DataError, match=r"not a sentence.*Remedy"):
            predictor.predict_json(wrong)


def test_several_processes_annotate_as_one(
    treebank: Path, analyze: Callable[..., List[SentenceBlock]]
) -> None:
    (dev,) = treebank.glob("*-dev.conllu")
    alone, shared = (
        [block.serialize() for block in analyze(dev, processes=processes)] for processes in (1, 2)
    )
    assert len(alone) == 12
    assert shared == alone
