import json
import math
import sys
from pathlib import Path
from typing import List
from unittest import mock

import pytest
from allennlp.commands import main
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.models import load_archive

from allennlp_svae.models.affix_rules import AffixRulesModel
from tests.inflection_toy import INFLECTIONS, config, instances_of, write_tsv


def trained(folder: Path, epochs: int = 1) -> Path:
    contents = config(write_tsv(folder / "toy.tsv"), {"type": "affix_rules"}, epochs=epochs)
    train_model(Params(contents), str(folder / "run"))
    return folder / "run"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("affix_rules"), epochs=2)


@pytest.fixture(scope="module")
def model(run: Path) -> AffixRulesModel:
    loaded = load_archive(str(run / "model.tar.gz")).model
    assert isinstance(loaded, AffixRulesModel)
    return loaded


def best(model: AffixRulesModel, lemma: str, tag: str) -> str:
    return model.inflect(instances_of([(lemma, None, tag)]))[0][0][0]


def test_training_ends_with_metrics(run: Path) -> None:
    metrics = json.loads((run / "metrics.json").read_text(encoding="utf-8"))
    assert metrics["best_validation_inflection_accuracy"] == 1.0
    assert metrics["best_validation_accuracy_seen_tag"] == 1.0


def test_archive_holds_the_rules(model: AffixRulesModel) -> None:
    assert best(model, "tuli", "N;NOM;PL") == "tulito"
    assert best(model, "tuli", "ADJ;NEVER;SEEN") == "tuli"


def test_archive_evaluates(run: Path, tmp_path: Path) -> None:
    given, found = tmp_path / "test.tsv", tmp_path / "metrics.json"
    given.write_text("tuli\ttulito\tN;NOM;PL\ntuli\ttulia\tN;ACC;SG\n", encoding="utf-8")
    arguments = ["evaluate", str(run / "model.tar.gz"), str(given), "--output-file", str(found)]
    with mock.patch.object(sys, "argv", ["allennlp", *arguments]):
        main()
    metrics = json.loads(found.read_text(encoding="utf-8"))
    assert metrics["inflection_accuracy"] == 0.5
    assert metrics["edit_distance"] == 0.5


def test_a_second_pass_changes_nothing(model: AffixRulesModel, tmp_path: Path) -> None:
    once = load_archive(str(trained(tmp_path) / "model.tar.gz")).model
    assert set(once._triples) == set(model._triples)
    tags = sorted({tag for _, _, tag in INFLECTIONS})
    assert [best(once, "tuli", tag) for tag in tags] == [best(model, "tuli", tag) for tag in tags]


def test_all_mass_is_on_one_form(model: AffixRulesModel) -> None:
    instances = instances_of([("ko", "koto", "N;NOM;PL"), ("ko", "kota", "N;NOM;PL")])
    assert model.inflect(instances, n_best=3) == [[("koto", 0.0)]] * 2
    assert model.sample(instances) == ["koto", "koto"]
    assert model.log_prob(instances) == [0.0, -math.inf]


@pytest.mark.parametrize("lemma", ["", "k", "ko" * 30, "жщ", "<a>"])
def test_any_lemma_is_inflected(model: AffixRulesModel, lemma: str) -> None:
    forms: List[str] = [best(model, lemma, tag) for _, _, tag in INFLECTIONS]
    assert len(forms) == len(INFLECTIONS)
