import json
from pathlib import Path

import pytest
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.models import load_archive

from tests.inflection_toy import config, transducer_params, write_tsv

TOP5 = "validation_inflection_accuracy_top5"


@pytest.mark.parametrize("width", [1, 5])
@pytest.mark.parametrize("greedily", [False, True])
def test_epochs_are_compared_greedily_and_the_model_keeps_its_beam(
    width: int, greedily: bool, tmp_path: Path
) -> None:
    contents = config(
        write_tsv(tmp_path / "toy.tsv"), transducer_params(metric_beam_size=width), epochs=2
    )
    contents["trainer"]["callbacks"] = [{"type": "greedy_validation"}] if greedily else []
    run = tmp_path / "run"
    assert train_model(Params(contents), str(run)).metric_beam_size == width
    assert load_archive(run).model.metric_beam_size == width
    # Only a beam of five tells about the best five.
    for epoch in range(2):
        metrics = json.loads((run / f"metrics_epoch_{epoch}.json").read_text(encoding="utf-8"))
        assert (TOP5 in metrics) == (width == 5 and not greedily)


def run_of(tmp_path: Path, epochs: int, last_epochs: int) -> Params:
    contents = config(
        write_tsv(tmp_path / "toy.tsv"), transducer_params(metric_beam_size=1), epochs=epochs
    )
    callback = {"type": "greedy_validation", "last_epochs": last_epochs}
    contents["trainer"]["callbacks"] = [callback]
    return Params(contents)


@pytest.mark.parametrize("last_epochs", [1, 2, 9])
def test_only_the_last_epochs_are_validated_and_the_best_of_them_kept(
    last_epochs: int, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    train_model(run_of(tmp_path, epochs=3, last_epochs=last_epochs), str(run))
    for epoch in range(3):
        metrics = json.loads((run / f"metrics_epoch_{epoch}.json").read_text(encoding="utf-8"))
        validated = epoch >= 3 - last_epochs
        assert ("validation_inflection_accuracy" in metrics) == validated
        assert ("best_validation_inflection_accuracy" in metrics) == validated
    assert metrics["best_epoch"] >= 3 - last_epochs
    assert (run / "best.th").exists()


def test_a_recovered_run_validates_its_last_epoch(tmp_path: Path) -> None:
    run = tmp_path / "run"
    params = run_of(tmp_path, epochs=2, last_epochs=1)
    params["trainer"]["checkpointer"] = {"keep_most_recent_by_count": 2}
    train_model(params.duplicate(), str(run))
    expected = json.loads((run / "metrics.json").read_text(encoding="utf-8"))
    # As if killed after the first epoch.
    for name in ("*_e2_*.th", "best.th", "metrics*.json", "model.tar.gz"):
        for file in run.glob(name):
            file.unlink()
    train_model(params, str(run), recover=True)
    metrics = json.loads((run / "metrics.json").read_text(encoding="utf-8"))
    assert metrics["best_epoch"] == 1
    for name in ("best_validation_loss", "best_validation_inflection_accuracy"):
        assert metrics[name] == pytest.approx(expected[name])


def test_some_epoch_has_to_be_validated(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="last_epochs"):
        train_model(run_of(tmp_path, epochs=2, last_epochs=0), str(tmp_path / "run"))
