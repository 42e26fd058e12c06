"""Trains one part of the composite in a nested AllenNLP trainer, to the same weights whether or not it was killed."""

import json
import os
from copy import deepcopy
from glob import escape, glob
from typing import Any, Dict, List, Optional

import torch
from allennlp.common import FromParams, Lazy
from allennlp.data import DataLoader, Instance
from allennlp.models import Model
from allennlp.training import GradientDescentTrainer, Trainer, TrainerCallback
from allennlp.training.util import evaluate

from allennlp_svae.training.atomic_checkpointer import save_atomically
from allennlp_svae.training.instances_loader import InstancesLoader, seed_everything
from allennlp_svae.training.whole_file import whole_text

WEIGHTS = "weights.th"
METRICS = "metrics.json"


class SkipFinishedEpochs(TrainerCallback):
    """Tells the loader which epochs a recovered trainer is about to replay."""

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        assert isinstance(trainer.data_loader, InstancesLoader)
        trainer.data_loader.finished_epochs = trainer._start_after_epochs_completed


class PartTraining(FromParams):
    """
    How one part of an `svae` is trained in each iteration of wake-sleep, or one component of a composed network.

    # Parameters

    trainer : `Lazy[Trainer]`
        The trainer block that trains the part alone.
    batches : `Lazy[InstancesLoader]`
        The loader's `batch_sampler` and `min_batches_per_epoch`.
    warm_start : `bool`, optional (default = `False`)
        Whether an iteration of wake-sleep goes on from the last one's parameters instead of fresh ones.
    """

    def __init__(
        self,
        trainer: Lazy[Trainer],
        batches: Lazy[InstancesLoader],
        warm_start: bool = False,
    ) -> None:
        self._trainer = trainer
        self._batches = batches
        self.warm_start = warm_start

    def loader(self, instances: List[Instance], model: Model, seed: str) -> InstancesLoader:
        return self._batches.construct(instances=instances, vocab=model.vocab, seed=seed)

    def fit(
        self,
        part: Model,
        instances: List[Instance],
        validation: Optional[DataLoader],
        folder: str,
        seed: str,
        cuda_device: int = -1,
    ) -> None:
        """
        Trains `part` in place and writes its weights and development metrics to `folder`. An
        unfinished training found there is continued.

        # Parameters

        part : `Model`
        instances : `List[Instance]`
            With their weights.
        validation : `DataLoader`, optional
            The development data, for the best epoch and the metrics.
        folder : `str`
            One for each iteration and part.
        seed : `str`
        cuda_device : `int`, optional (default = `-1`)
        """
        os.makedirs(folder, exist_ok=True)
        seed_everything(seed)
        loader = self.loader(instances, part, seed)
        trainer = self._trainer.construct(
            model=part,
            data_loader=loader,
            validation_data_loader=validation,
            serialization_dir=folder,
            local_rank=0,
            cuda_device=cuda_device,
        )
        loader.set_target_device(trainer.cuda_device)
        if isinstance(trainer, GradientDescentTrainer):
            trainer._callbacks.append(SkipFinishedEpochs(folder))
            trainer.train()
            part.get_metrics(reset=True)
            metrics = {} if validation is None else measure(part, validation, cuda_device)
        else:  # of components, whose last act is to measure the whole
            metrics = best_validation(trainer.train())
        write_json(metrics, os.path.join(folder, METRICS))
        save_atomically(part.state_dict(), os.path.join(folder, WEIGHTS))
        for pattern in ("model_state_*.th", "training_state_*.th", "best.th"):
            for checkpoint in glob(os.path.join(escape(folder), pattern)):
                os.remove(checkpoint)


def is_finished(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, WEIGHTS))


def load_finished(part: Model, folder: str) -> None:
    """Loads the weights that `PartTraining.fit` left in `folder`."""
    weights = torch.load(os.path.join(folder, WEIGHTS), map_location="cpu", weights_only=True)
    part.load_state_dict(weights)


def snapshot(part: Model) -> Dict[str, Any]:
    return deepcopy(part.state_dict())


def measure(part: Model, loader: DataLoader, cuda_device: int = -1) -> Dict[str, float]:
    """The part's metrics on the data of `loader`."""
    mode = part.training
    metrics = evaluate(part, loader, cuda_device)
    part.train(mode)
    return metrics


def best_validation(metrics: Dict[str, Any]) -> Dict[str, Any]:
    """What a trainer reports of its best weights on the validation data."""
    prefix = "best_validation_"
    return {name.removeprefix(prefix): metrics[name] for name in metrics if prefix in name}


def write_json(value: Dict[str, Any], path: str) -> None:
    with whole_text(path) as file:
        json.dump(value, file, indent=2, sort_keys=True)
        file.write("\n")
