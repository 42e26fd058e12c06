from pathlib import Path
from typing import Any, Dict, List, Sequence

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance
from allennlp.models import Model, load_archive

from allennlp_svae.dataset_readers.inflections import strings_of
from allennlp_svae.training.calibrate import calibrate
from allennlp_svae.training.instances_loader import evaluation_loader
from tests.configs import evaluated
from tests.conftest import ROOT
from tests.inflection_toy import config, instances_of, toy_transducer, transducer_params, write_tsv


def calibrated_config(tsv: str, **trainer: Any) -> Dict[str, Any]:
    contents = config(tsv, transducer_params(metric_beam_size=5), epochs=4)
    contents["trainer"].update({"callbacks": [{"type": "calibrate"}], **trainer})
    return contents


def weights_of(model: Model) -> Dict[str, torch.Tensor]:
    return {name: value for name, value in model.state_dict().items() if "calibration" not in name}


def test_the_archive_is_calibrated_and_otherwise_the_best_epoch(tmp_path: Path) -> None:
    tsv = write_tsv(tmp_path / "toy.tsv")
    train_model(Params(calibrated_config(tsv)), str(tmp_path / "with"))
    plain = calibrated_config(tsv)
    del plain["trainer"]["callbacks"]
    train_model(Params(plain), str(tmp_path / "without"))
    archive, reference = (load_archive(tmp_path / name) for name in ("with", "without"))
    calibration = archive.model.calibration
    assert (calibration.inverse_temperature.item(), calibration.bias.item()) != (1.0, 0.0)
    for name, value in weights_of(reference.model).items():
        assert torch.equal(archive.model.state_dict()[name], value)
    # The fit is to these very instances.
    instances = list(archive.validation_dataset_reader.read(tsv))
    before = [value.item() for value in calibration.buffers()]
    archive.model.calibrate(instances)
    assert [value.item() for value in calibration.buffers()] == pytest.approx(before, abs=1e-4)


def test_of_many_instances_a_fixed_sample_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [("ko", "ko" + "n" * number, "N;NOM;PL") for number in range(30)]
    model = toy_transducer(rows)
    looked_at: List[List[str]] = []

    def note(instances: Sequence[Instance]) -> None:
        looked_at.append([strings_of(instance)["form"] for instance in instances])

    monkeypatch.setattr(model, "calibrate", note)
    for max_instances in (10, 10, 30):
        calibrate(model, evaluation_loader(instances_of(rows), model.vocab), max_instances)
    few, again, everything = looked_at
    forms = [form for _, form, _ in rows]
    assert few == again
    assert len(set(few)) == 10
    # They are not those of the file's beginning, which may be one text.
    for start in (0, 10, 20):
        assert set(few) & set(forms[start : start + 10])
    assert everything == forms


def test_without_validation_data_nothing_is_done(tmp_path: Path) -> None:
    contents = calibrated_config(write_tsv(tmp_path / "toy.tsv"))
    del contents["validation_data_path"]
    contents["trainer"].pop("validation_metric", None)
    train_model(Params(contents), str(tmp_path / "run"))
    calibration = load_archive(tmp_path / "run").model.calibration
    assert (calibration.inverse_temperature.item(), calibration.bias.item()) == (1.0, 0.0)


def test_it_is_for_inflectors(tmp_path: Path) -> None:
    path = ROOT / "training_config" / "lemma_lm.jsonnet"
    params = evaluated(path, "{ trainer+: { callbacks: [{ type: 'calibrate' }] } }")
    for name in ("train_data_path", "validation_data_path"):
        params[name] = str(ROOT / params[name])
    with pytest.raises(
        ConfigurationError, match="LemmaLanguageModel neither is nor has an inflector"
    ):
        train_model(Params(params), str(tmp_path / "run"))
