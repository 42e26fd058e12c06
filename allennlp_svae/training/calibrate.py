"""Makes a model's confidences right, once it is trained."""

import os
import random
from typing import Any, Dict, Optional, Union

from allennlp.models import Model
from allennlp.training import GradientDescentTrainer, TrainerCallback

from allennlp_svae.models.inference_network import InferenceNetwork
from allennlp_svae.models.inflection_model import InflectionModel
from allennlp_svae.training.atomic_checkpointer import save_atomically
from allennlp_svae.training.inflector_of import inflector_of


@TrainerCallback.register("calibrate")
class Calibrate(TrainerCallback):
    """
    Fits the `calibration` of an `InflectionModel`, of an `svae`'s inflector, or of an `InferenceNetwork` to the
    validation data, with the weights of the best epoch, and leaves everything else as it is. Without validation data
    nothing is done.

    # Parameters

    serialization_dir : `str`
    max_instances : `int`, optional (default = `2000`)
        Two parameters need no more. Drawn with a fixed seed where there are more.

    # Raises

    `ConfigurationError` where the model is none of these.
    """

    def __init__(self, serialization_dir: str, max_instances: int = 2000) -> None:
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
        instances = list(loader.iter_instances())
        if len(instances) > self._max_instances:
            instances = random.Random(0).sample(instances, self._max_instances)
        _calibratable(trainer.model).calibrate(instances)
        best = trainer.get_best_weights_path()
        if best is not None:
            # Not written over: it may be the same file as the last checkpoint.
            save_atomically(trainer.model.state_dict(), os.path.abspath(best))


def _calibratable(model: Model) -> Union[InferenceNetwork, InflectionModel]:
    return model if isinstance(model, InferenceNetwork) else inflector_of(model)
