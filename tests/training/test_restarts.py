"""Several trainings in one run, against as many runs."""

import itertools
import json
from pathlib import Path
from typing import Any, Dict

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.models import load_archive
from allennlp.training import Checkpointer, GradientDescentTrainer, TrainerCallback
from allennlp.training.util import evaluate

from allennlp_svae.training.instances_loader import evaluation_loader
from tests.inflection_toy import config as inflection_config
from tests.inflection_toy import transducer_params, write_tsv


def config(treebank: Path, epochs: int, every: int, **trainer: Any) -> Params:
    """Of batches in a fixed order, so that every training comes to the same."""
    loader = {"batch_size": 8, "shuffle": False}
    contents: Dict[str, Any] = {
        "dataset_reader": {"type": "tagged_sentences", "tagset": "ud"},
        "train_data_path": f"{treebank}/dev",
        "validation_data_path": f"{treebank}/dev",
        "model": {"type": "crf_tagger_lemmatizer"},
        "data_loader": loader,
        "trainer": {
            "num_epochs": epochs,
            "cuda_device": -1,
            "optimizer": {"type": "adagrad", "lr": 0.15, "initial_accumulator_value": 0.1},
            "moving_average": {"type": "polynomial_decay", "every": 1},
            "validation_metric": "+joint_accuracy",
            "checkpointer": {"type": "atomic", "keep_most_recent_by_count": 1},
            "callbacks": [{"type": "restarts", "every": every}] if every else [],
            **trainer,
        },
    }
    return Params(contents)


def weights(run: Path) -> Dict[str, torch.Tensor]:
    return dict(load_archive(str(run)).model.named_parameters())


def assert_close(one: Dict[str, torch.Tensor], other: Dict[str, torch.Tensor]) -> None:
    assert one.keys() == other.keys()
    for name, value in one.items():
        torch.testing.assert_close(value, other[name])


@pytest.mark.parametrize("optimizer", [{}, {"optimizer": {"type": "dense_sparse_adam"}}])
def test_each_training_begins_anew(
    optimizer: Dict[str, Any], treebank: Path, tmp_path: Path
) -> None:
    train_model(config(treebank, 2, 0, **optimizer), str(tmp_path / "once"))
    train_model(config(treebank, 6, 2, **optimizer), str(tmp_path / "thrice"))
    once = weights(tmp_path / "once")
    assert any(map(torch.any, once.values()))
    # Three times the same has itself as its mean: nothing of one training is left in the next.
    assert_close(once, weights(tmp_path / "thrice"))


def test_what_is_kept_of_few_updates_is_what_was_validated(treebank: Path, tmp_path: Path) -> None:
    # Trainings of two updates, of which an average takes every tenth.
    params = config(treebank, 6, 2, moving_average={"type": "polynomial_decay"})
    params["data_loader"]["batch_size"] = 1000
    model = train_model(params, str(tmp_path / "run"))
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    kept = load_archive(str(tmp_path / "run"))
    loader = evaluation_loader(kept.dataset_reader.read(f"{treebank}/dev"), kept.model.vocab)
    measured = evaluate(kept.model, loader)
    assert any(map(torch.any, model.parameters()))
    assert measured["tag_accuracy"] == metrics["best_validation_tag_accuracy"] > 0.5


def test_the_last_training_has_what_is_left(treebank: Path, tmp_path: Path) -> None:
    for name, epochs, every in [("both", 3, 2), ("long", 2, 0), ("short", 1, 0)]:
        params = config(treebank, epochs, every, validation_metric="-loss")
        # Whatever is best, the last is kept.
        del params["validation_data_path"]
        train_model(params, str(tmp_path / name))
    long, short = weights(tmp_path / "long"), weights(tmp_path / "short")
    assert_close(
        {name: (value + short[name]) / 2 for name, value in long.items()},
        weights(tmp_path / "both"),
    )


@TrainerCallback.register("begin_elsewhere", exist_ok=True)
class BeginElsewhere(TrainerCallback):
    """Begins with three times the weights of a finished run."""

    def __init__(self, serialization_dir: str, run: str) -> None:
        super().__init__(serialization_dir)
        self.run = Path(run)

    def on_start(self, trainer: GradientDescentTrainer, *args: Any, **kwargs: Any) -> None:
        if trainer._start_after_epochs_completed == 0:
            for name, value in weights(self.run).items():
                trainer.model.get_parameter(name).data.copy_(3 * value)


@pytest.mark.parametrize("trainings", [1, 2])
def test_what_it_goes_on_from_counts_as_all_its_trainings(
    trainings: int, treebank: Path, tmp_path: Path
) -> None:
    once, run = tmp_path / "once", tmp_path / "run"
    train_model(config(treebank, 2, 0), str(once))
    elsewhere = {"type": "begin_elsewhere", "run": str(once)}
    for continued in (False, True):
        restarts = {"type": "restarts", "every": 2, "continued": continued}
        params = config(treebank, 2 * trainings, 2, callbacks=[elsewhere, restarts])
        # Whatever is best, the last is kept.
        del params["validation_data_path"]
        params["trainer"]["validation_metric"] = "-loss"
        if continued:
            train_model(params, str(run))
        else:
            with pytest.raises(ConfigurationError, match="set `continued`"):
                train_model(params, str(tmp_path / "refused"))
    # Every training comes to the same.
    assert_close({name: 2 * value for name, value in weights(once).items()}, weights(run))


def test_it_is_validated_after_each_training(treebank: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    params = config(treebank, 5, 2)
    # Else all trainings would come to the same.
    params["data_loader"]["shuffle"] = True
    train_model(params, str(run))
    metrics = [json.loads((run / f"metrics_epoch_{epoch}.json").read_text()) for epoch in range(5)]
    assert "validation_joint_accuracy" not in metrics[0]
    # After the second, the fourth and the last epoch.
    changes = ["validation_joint_accuracy" in metrics[1]]
    changes += [
        one["validation_log_likelihood"] != other["validation_log_likelihood"]
        for one, other in itertools.pairwise(metrics[1:])
    ]
    assert changes == [True, False, True, True]
    final = json.loads((run / "metrics.json").read_text())
    archive = load_archive(str(run))
    assert 0.0 < final["best_validation_joint_accuracy"] <= 1.0
    # What was validated is what is kept.
    found = archive.model.annotate(list(archive.dataset_reader.read(f"{treebank}/dev")))
    gold = [each["metadata"].metadata for each in archive.dataset_reader.read(f"{treebank}/dev")]
    pairs = [
        (one, other)
        for each, right in zip(found, gold, strict=True)
        for one, other in zip(each.tokens, right.tokens, strict=True)
        if other.tag is not None and other.lemma is not None
    ]
    accuracy = sum(one == other for one, other in pairs) / len(pairs)
    assert accuracy == pytest.approx(final["best_validation_joint_accuracy"], abs=1e-6)


def test_a_checkpoint_within_the_first_epoch_is_taken_up(
    treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpointer = {"type": "atomic", "save_every_num_batches": 1}
    train_model(config(treebank, 2, 2, checkpointer=checkpointer), str(tmp_path / "whole"))
    save = Checkpointer.save_checkpoint

    def save_and_stop(checkpointer: Checkpointer, trainer: GradientDescentTrainer) -> None:
        save(checkpointer, trainer)
        raise KeyboardInterrupt

    stopped = tmp_path / "stopped"
    with monkeypatch.context() as patch:
        patch.setattr(Checkpointer, "save_checkpoint", save_and_stop)
        with pytest.raises(KeyboardInterrupt):
            train_model(config(treebank, 2, 2, checkpointer=checkpointer), str(stopped))
    assert (stopped / "model_state_e0_b1.th").exists()
    train_model(config(treebank, 2, 2, checkpointer=checkpointer), str(stopped), recover=True)
    assert_close(weights(tmp_path / "whole"), weights(stopped))


@pytest.mark.parametrize("finished", [1, 2, 3])
def test_a_recovered_run_comes_to_the_same(
    finished: int, treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_model(config(treebank, 4, 2), str(tmp_path / "whole"))
    stopped = tmp_path / "stopped"
    epochs = iter(range(finished))
    train_epoch = GradientDescentTrainer._train_epoch

    def interrupted(trainer: GradientDescentTrainer, epoch: int) -> Any:
        if next(epochs, None) is None:
            raise KeyboardInterrupt
        return train_epoch(trainer, epoch)

    with monkeypatch.context() as patch:
        patch.setattr(GradientDescentTrainer, "_train_epoch", interrupted)
        with pytest.raises(KeyboardInterrupt):
            train_model(config(treebank, 4, 2), str(stopped))
    train_model(config(treebank, 4, 2), str(stopped), recover=True)
    assert_close(weights(tmp_path / "whole"), weights(stopped))


def test_other_averages_are_refused(treebank: Path, tmp_path: Path) -> None:
    params = config(treebank, 2, 1, moving_average={"type": "exponential"})
    with pytest.raises(ConfigurationError, match="set the trainer's moving_average"):
        train_model(params, str(tmp_path / "run"))


def test_models_that_do_not_begin_at_zero_are_refused(tmp_path: Path) -> None:
    contents = inflection_config(write_tsv(tmp_path / "toy.tsv"), transducer_params())
    contents["trainer"].update(
        {"moving_average": {"type": "polynomial_decay"}, "callbacks": [{"type": "restarts"}]}
    )
    with pytest.raises(ConfigurationError, match="begins at zero"):
        train_model(Params(contents), str(tmp_path / "run"))


def test_a_training_has_an_epoch_at_least(treebank: Path, tmp_path: Path) -> None:
    callbacks = [{"type": "restarts", "every": 0}]
    with pytest.raises(ConfigurationError, match="must be at least 1, not 0"):
        train_model(config(treebank, 2, 1, callbacks=callbacks), str(tmp_path / "run"))
