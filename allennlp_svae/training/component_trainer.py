"""Trains the components of a model, each by a trainer of its own."""

import os
from functools import partial
from typing import Any, Dict, List, Optional

import torch
from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.common.util import int_to_device
from allennlp.data import DataLoader
from allennlp.models import Model
from allennlp.training import NoOpTrainer, Trainer, TrainerCallback
from allennlp.training.util import evaluate

from allennlp_svae.models.composed import Composed
from allennlp_svae.models.inference_network import InferenceNetwork
from allennlp_svae.models.svae import StructuredVAE
from allennlp_svae.training.atomic_checkpointer import save_atomically
from allennlp_svae.training.augmented_loader import AugmentedLoader
from allennlp_svae.training.calibrate import MAX_INSTANCES, MAX_SENTENCES, calibrate
from allennlp_svae.training.distilled_loader import DistilledLoader
from allennlp_svae.training.instances_loader import evaluation_loader
from allennlp_svae.training.part_training import PartTraining, is_finished, load_finished
from allennlp_svae.training.side_by_side import Task, side_by_side


@Trainer.register("components")
class ComponentTrainer(NoOpTrainer):
    """
    What each component learned and measured lies in the run's folder under `components/`; a recovered run goes on
    from it. With validation data each keeps the weights of its best epoch, and what they make is calibrated. Without
    a GPU they are trained side by side, each in a process of its own, where the system is Linux.

    # Parameters

    serialization_dir : `str`
        Given by AllenNLP, as are the next three.
    model : `Model`
        A `Composed` one, or an `svae` whose inflector is one.
    data_loader : `DataLoader`
        Its instances are everything that is learned from; batches are made as each component's `batches` say.
    validation_data_loader : `DataLoader`, optional (default = `None`)
    components : `Dict[str, PartTraining]`
        How each of the model's `components` is trained.
    processes : `int`, optional (default = as many as there are cores)
        How many components are trained at a time, at most.
    validated : `bool`, optional (default = `True`)
        Whether each is measured on the validation data, too; if not, it keeps the weights of its last epoch.
    callbacks : `List[TrainerCallback]`, optional (default = `[]`)
        Called before the components' training and after it: epochs and batches are those of the components' trainers.
    cuda_device : `int`, optional (default = the first GPU if there is one)

    # Raises

    `ConfigurationError` where the model or the components are others, and where it is told what a component's trainer
    is to be told, such as epochs.
    """

    def __init__(
        self,
        serialization_dir: str,
        model: Model,
        data_loader: DataLoader,
        components: Dict[str, PartTraining],
        validation_data_loader: Optional[DataLoader] = None,
        processes: Optional[int] = None,
        validated: bool = True,
        callbacks: Optional[List[Lazy[TrainerCallback]]] = None,
        cuda_device: Optional[int] = None,
        **of_components: Any,
    ) -> None:
        super().__init__(serialization_dir, model)
        if of_components:
            raise ConfigurationError(
                f"The trainer `components` has no {', '.join(sorted(of_components))}: each component has its own. "
                "Remedy: set it in `trainer.components.NAME.trainer`, in jsonnet for the networks of an inflector "
                "`parts+:: { inflector+: { training+:: { … } } }`."
            )
        composed = model.inflector if isinstance(model, StructuredVAE) else model
        if not isinstance(composed, Composed):
            raise ConfigurationError(
                "The trainer `components` is for an edit_transducer, an svae that has one, a tagger_with_prior, "
                "tagger_with_lemmatizer or tagger_with_inflector."
            )
        if processes is not None and processes < 1:
            raise ConfigurationError("`processes` of the trainer `components` must be at least 1.")
        if isinstance(data_loader, (AugmentedLoader, DistilledLoader)):
            raise ConfigurationError(
                "The trainer `components` learns from what is read alone, and this `data_loader` makes more of it. "
                "Remedy: an edit_transducer of one network, `networks:: 1`, with its own trainer."
            )
        if components.keys() != composed.components().keys():
            raise ConfigurationError(
                f"The trainer has the components {sorted(components)}. Remedy: say how "
                f"{' and '.join(composed.components())} are trained."
            )
        self._composed: Composed = composed
        # What callbacks ask a trainer for, by the names that it has in AllenNLP.
        self.data_loader = data_loader
        self._validation_data_loader = validation_data_loader
        self._start_after_epochs_completed = self._start_after_batches_in_epoch_completed = 0
        if cuda_device is None:
            cuda_device = 0 if torch.cuda.is_available() else -1
        check_for_gpu(cuda_device)
        self.cuda_device = int_to_device(cuda_device)
        self._components = components
        self._processes = processes if cuda_device < 0 else 1
        self._validated = validated
        self._callbacks = [
            callback.construct(serialization_dir=serialization_dir) for callback in callbacks or ()
        ]

    def train(self) -> Dict[str, Any]:
        """The metrics on the validation data, as `best_validation_*`."""
        self.model.to(self.cuda_device)
        for callback in self._callbacks:
            callback.on_start(self)
        metrics: Optional[Dict[str, Any]] = None
        try:
            self._train_components()
            metrics = self._measured()
            self._best_model_filename = os.path.join(self._serialization_dir, "best.th")
            save_atomically(self.model.state_dict(), self._best_model_filename)
            return metrics
        finally:
            for callback in self._callbacks:
                callback.on_end(self, metrics=metrics)

    def _train_components(self) -> None:
        instances = list(self.data_loader.iter_instances())
        # That of the run or, inside of wake-sleep, of the part and its iteration.
        seed = torch.initial_seed()
        components = self._composed.components()
        folders = {
            name: os.path.join(self._serialization_dir, "components", name) for name in components
        }
        unfinished: Dict[str, Task] = {
            name: partial(
                training.fit,
                components[name],
                self._composed.component_instances(name, instances),
                self._validation_of(name),
                folders[name],
                f"{seed}/component/{name}",
                -1 if self.cuda_device.type == "cpu" else self.cuda_device.index,
            )
            for name, training in self._components.items()
            if not is_finished(folders[name])
        }
        side_by_side(unfinished, self._processes)
        for name, component in components.items():
            load_finished(component, folders[name])

    def _measured(self) -> Dict[str, Any]:
        loader = self._validation_data_loader
        if loader is None:
            return {}
        is_tagger = isinstance(self.model, InferenceNetwork)
        calibrate(self.model, loader, MAX_SENTENCES if is_tagger else MAX_INSTANCES)
        measured = evaluate(self.model, loader, self.cuda_device)
        return {f"best_validation_{name}": value for name, value in measured.items()}

    def _validation_of(self, name: str) -> Optional[DataLoader]:
        loader = self._validation_data_loader
        if loader is None or not self._validated:
            return None
        whole = list(loader.iter_instances())
        instances = self._composed.component_instances(name, whole)
        if instances == whole:
            return loader
        return evaluation_loader(instances, self.model.vocab)
