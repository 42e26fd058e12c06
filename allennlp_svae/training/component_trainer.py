"""Trains the components of a composed network one after another, each by a trainer of its own."""

import os
from typing import Any, Dict, Optional

import torch
from allennlp.common.checks import ConfigurationError, check_for_gpu
from allennlp.common.util import int_to_device
from allennlp.data import DataLoader
from allennlp.models import Model
from allennlp.training import NoOpTrainer, Trainer
from allennlp.training.util import evaluate

from allennlp_svae.models.composed_network import ComposedNetwork
from allennlp_svae.training.atomic_checkpointer import save_atomically
from allennlp_svae.training.calibrate import MAX_SENTENCES, calibrate
from allennlp_svae.training.instances_loader import evaluation_loader
from allennlp_svae.training.part_training import PartTraining, is_finished, load_finished


@Trainer.register("components")
class ComponentTrainer(NoOpTrainer):
    """
    What each component learned and measured lies in the run's folder under `components/`; a recovered run goes on
    from it. With validation data each keeps the weights of its best epoch, and what they make is calibrated.

    # Parameters

    serialization_dir : `str`
        Given by AllenNLP, as are the next three.
    model : `Model`
        A `ComposedNetwork`.
    data_loader : `DataLoader`
        Its instances are everything that is learned from; batches are made as each component's `data_loader` says.
    validation_data_loader : `DataLoader`, optional (default = `None`)
    components : `Dict[str, PartTraining]`
        How each of the model's `components` is trained.
    cuda_device : `int`, optional (default = the first GPU if there is one)

    # Raises

    `ConfigurationError` where the model or the components are others.
    """

    def __init__(
        self,
        serialization_dir: str,
        model: Model,
        data_loader: DataLoader,
        components: Dict[str, PartTraining],
        validation_data_loader: Optional[DataLoader] = None,
        cuda_device: Optional[int] = None,
    ) -> None:
        super().__init__(serialization_dir, model)
        if not isinstance(model, ComposedNetwork):
            raise ConfigurationError(
                "The trainer `components` is for a tagger_with_prior, tagger_with_lemmatizer or tagger_with_inflector."
            )
        if components.keys() != model.components().keys():
            raise ConfigurationError(
                f"The trainer has the components {sorted(components)}. Remedy: say how "
                f"{' and '.join(model.components())} are trained."
            )
        self._network = model
        self._data = data_loader
        self._validation = validation_data_loader
        self._components = components
        if cuda_device is None:
            cuda_device = 0 if torch.cuda.is_available() else -1
        check_for_gpu(cuda_device)
        self._cuda_device = cuda_device

    def train(self) -> Dict[str, Any]:
        """The metrics on the validation data, as `best_validation_*`."""
        assert self._serialization_dir is not None
        instances = list(self._data.iter_instances())
        # That of the run or, inside of wake-sleep, of the part and its iteration.
        seed = torch.initial_seed()
        self._network.to(int_to_device(self._cuda_device))
        for name, training in self._components.items():
            component = self._network.components()[name]
            folder = os.path.join(self._serialization_dir, "components", name)
            if not is_finished(folder):
                key = f"{seed}/component/{name}"
                training.fit(
                    component,
                    self._network.component_instances(name, instances),
                    self._validation_of(name),
                    folder,
                    key,
                    self._cuda_device,
                )
            load_finished(component, folder)
        metrics: Dict[str, Any] = {}
        if self._validation is not None:
            calibrate(self._network, self._validation, MAX_SENTENCES)
            measured = evaluate(self._network, self._validation, self._cuda_device)
            metrics = {f"best_validation_{name}": value for name, value in measured.items()}
        self._best_model_filename = os.path.join(self._serialization_dir, "best.th")
        save_atomically(self._network.state_dict(), self._best_model_filename)
        return metrics

    def _validation_of(self, name: str) -> Optional[DataLoader]:
        if self._validation is None:
            return None
        sentences = list(self._validation.iter_instances())
        instances = self._network.component_instances(name, sentences)
        if instances == sentences:
            return self._validation
        return evaluation_loader(instances, self._network.vocab)
