"""Makes a model's confidences right, once it is trained."""

import os
import random
from typing import Any, Dict, Optional, Union

from allennlp.data import DataLoader
from allennlp.models import Model
from allennlp.training import GradientDescentTrainer, TrainerCallback

from allennlp_svae.models.inference_network import InferenceNetwork
from allennlp_svae.models.inflection_model import InflectionModel
from allennlp_svae.training.atomic_checkpointer import save_atomically
from allennlp_svae.training.inflector_of import inflector_of

# Two parameters need no more inflections, or sentences.
MAX_INSTANCES, MAX_SENTENCES = 1000, 500


def calibrate(model: Model, loader: DataLoader, max_instances: int = MAX_INSTANCES) -> None:
    """
    Fits the `calibration` of an `InflectionModel`, of an `svae`'s inflector, or of an `InferenceNetwork` to so many of
    the loader's instances, drawn with a fixed seed where there are more; raises `ConfigurationError` for other models.
    """
    instances = list(loader.iter_instances())
    if len(instances) > max_instances:
        instances = random.Random(0).sample(instances, max_instances)
    _calibratable(model).calibrate(instances)


@TrainerCallback.register("calibrate")
class Calibrate(TrainerCallback):
    """
    Calls `calibrate` with the validation data, with the weights of the best epoch, and leaves everything else as it is.
    Without validation data nothing is done.

    # Parameters

    serialization_dir : `str`
    max_instances : `int`, optional (default = `1000`)
        How many are looked at.

    # Raises

    `ConfigurationError` where the model is none of these.
    """

    def __init__(self, serialization_dir: str, max_instances: int = MAX_INSTANCES) -> None:
        super().__init__(serialization_dir)
        self._max_instances = max_instances

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        _calibratable(trainer.model)

    def on_end(
        self,
        trainer: GradientDescentTrainer,
        metrics: Optional[Dict[str, Any]] = None,
        epoch: Optional[int] = None,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        loader = trainer._validation_data_loader
        # There are no metrics where training failed.
        if metrics is None or loader is None:
            return
        calibrate(trainer.model, loader, self._max_instances)
        save_best(trainer)


def save_best(trainer: GradientDescentTrainer) -> None:
    """Saves the model as that of the best epoch, which it is when training has ended, but for what came after."""
    best = trainer.get_best_weights_path()
    if best is not None:
        # Not written over: it may be the same file as the last checkpoint.
        save_atomically(trainer.model.state_dict(), os.path.abspath(best))


def _calibratable(model: Model) -> Union[InferenceNetwork, InflectionModel]:
    return model if isinstance(model, InferenceNetwork) else inflector_of(model)
