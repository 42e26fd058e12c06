"""The trainer `components` with an edit transducer; with taggers it is in the tests of these."""

import json
from pathlib import Path
from typing import Any, Dict, Optional

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.training import NoOpTrainer, TrainerCallback

from allennlp_svae.models.edit_transducer import EditTransducer
from tests.inflection_toy import (
    INFLECTIONS,
    config,
    instances_of,
    transducer_params,
    write_tsv,
)


def components_config(
    folder: Path, networks: int = 2, epochs: int = 2, **trainer: Any
) -> Dict[str, Any]:
    one = {
        "trainer": {
            "num_epochs": epochs,
            "optimizer": {"type": "adam", "lr": 0.01},
            "enable_default_callbacks": False,
            "run_confidence_checks": False,
        },
        "batches": {"batch_sampler": {"type": "bucket", "batch_size": 4}},
    }
    contents = config(write_tsv(folder / "toy.tsv"), transducer_params(networks=networks, size=20))
    contents["trainer"] = {
        "type": "components",
        "components": {f"network_{number}": one for number in range(networks)},
        "cuda_device": -1,
        **trainer,
    }
    return contents


def trained(contents: Dict[str, Any], run: Path, recover: bool = False) -> EditTransducer:
    model = train_model(Params(json.loads(json.dumps(contents))), str(run), recover=recover)
    assert isinstance(model, EditTransducer)
    return model


def test_networks_learn_the_same_side_by_side_and_one_after_another(tmp_path: Path) -> None:
    models = [
        trained(components_config(tmp_path, processes=count), tmp_path / f"run{count or 0}")
        for count in (1, 2, None)
    ]
    weights = models[0].state_dict()
    for other in models[1:]:
        for name, value in other.state_dict().items():
            assert torch.equal(value, weights[name])
    # Each from a start of its own.
    first, second = (dict(network.state_dict()) for network in models[0].networks)
    assert not torch.equal(first["_output.weight"], second["_output.weight"])


def test_each_learns_in_an_order_of_its_own(tmp_path: Path) -> None:
    contents = components_config(tmp_path, callbacks=[{"type": "test_same_start"}])
    first, second = (
        network.state_dict() for network in trained(contents, tmp_path / "run").networks
    )
    assert not torch.equal(first["_output.weight"], second["_output.weight"])


@TrainerCallback.register("test_same_start")
class SameStart(TrainerCallback):
    """All networks begin as the first."""

    def on_start(self, trainer: NoOpTrainer, **kwargs: Any) -> None:
        assert isinstance(trainer.model, EditTransducer)
        first, *others = trainer.model.networks
        for network in others:
            network.load_state_dict(first.state_dict())


def test_they_learn(tmp_path: Path) -> None:
    contents = components_config(tmp_path, epochs=60)
    model = trained(contents, tmp_path / "run")
    asked = [row for row in INFLECTIONS if row[0]]
    found = model.inflect(instances_of(asked))
    assert [candidates[0][0] for candidates in found] == [form for _, form, _ in asked]
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert metrics["best_validation_inflection_accuracy"] == 1.0
    # AllenNLP takes a block for a mistake that is called as what a trainer is given.
    assert "found in both" not in (tmp_path / "run" / "out.log").read_text()


@pytest.mark.parametrize("validated", [None, True, False])
def test_each_is_measured_unless_told_otherwise(tmp_path: Path, validated: Optional[bool]) -> None:
    told = {} if validated is None else {"validated": validated}
    trained(components_config(tmp_path, **told), tmp_path / "run")
    for number in range(2):
        path = tmp_path / "run" / "components" / f"network_{number}" / "metrics.json"
        measured = json.loads(path.read_text())
        assert ("inflection_accuracy" in measured) is (validated is not False)


def test_a_recovered_run_trains_what_was_not_finished(tmp_path: Path) -> None:
    contents = components_config(tmp_path)
    whole = trained(contents, tmp_path / "run").state_dict()
    folder = tmp_path / "run" / "components"
    kept = (folder / "network_0" / "weights.th").stat().st_mtime_ns
    (folder / "network_1" / "weights.th").unlink()
    again = trained(contents, tmp_path / "run", recover=True).state_dict()
    assert (folder / "network_0" / "weights.th").stat().st_mtime_ns == kept
    assert all(torch.equal(value, whole[name]) for name, value in again.items())


@TrainerCallback.register("test_listening")
class Listening(TrainerCallback):
    """Writes down what there was when it was called, and what the trainer said."""

    def on_start(self, trainer: NoOpTrainer, **kwargs: Any) -> None:
        self._note("start", trainer, **kwargs)

    def on_end(self, trainer: NoOpTrainer, **kwargs: Any) -> None:
        self._note("end", trainer, **kwargs)

    def _note(self, when: str, trainer: NoOpTrainer, **kwargs: Any) -> None:
        folder = Path(self.serialization_dir)
        best = trainer.get_best_weights_path()
        noted = {
            "components": (folder / "components").exists(),
            "saved": best is not None and Path(best).exists(),
            **kwargs,
        }
        (folder / f"{when}.json").write_text(json.dumps(noted))


def test_callbacks_are_called_before_and_after_the_components_training(tmp_path: Path) -> None:
    contents = components_config(tmp_path, callbacks=[{"type": "test_listening"}])
    trained(contents, tmp_path / "run")
    start, end, metrics = (
        json.loads((tmp_path / "run" / f"{name}.json").read_text())
        for name in ("start", "end", "metrics")
    )
    assert start == {"components": False, "saved": False}
    assert end.pop("metrics").items() <= metrics.items()
    assert end == {"components": True, "saved": True}


def test_callbacks_hear_of_a_training_that_failed(tmp_path: Path) -> None:
    contents = components_config(tmp_path, callbacks=[{"type": "test_listening"}])
    contents["trainer"]["components"]["network_1"]["trainer"]["optimizer"]["lr"] = -1.0
    with pytest.raises(ValueError, match="learning rate"):
        trained(contents, tmp_path / "run")
    end = json.loads((tmp_path / "run" / "end.json").read_text())
    assert end == {"components": True, "saved": False, "metrics": None}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"trainer": {"processes": 0}}, "`processes` of the trainer `components` must be at least"),
        ({"trainer": {"num_epochs": 2, "optimizer": "adam"}}, "has no num_epochs, optimizer: each"),
        (
            {
                "data_loader": {
                    "type": "augmented",
                    "batch_sampler": {"type": "bucket", "batch_size": 4},
                    "copies": 0.5,
                    "seed": 1,
                }
            },
            "networks:: 1",
        ),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, changed: Dict[str, Any], said: str) -> None:
    contents = components_config(tmp_path)
    contents["trainer"].update(changed.get("trainer", {}))
    contents["data_loader"] = changed.get("data_loader", contents["data_loader"])
    with pytest.raises(ConfigurationError, match=said):
        trained(contents, tmp_path / "run")
