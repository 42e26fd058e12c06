"""Nothing to train but the weights of a mixture: a run that makes an archive of finished components."""

import logging
from typing import Any, Dict, Optional

from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader
from allennlp.models import Model
from allennlp.training import NoOpTrainer, Trainer
from allennlp.training.util import evaluate

from allennlp_svae.models.inflection_mixture import InflectionMixture
from allennlp_svae.training.calibrate import MAX_SENTENCES, calibrate
from allennlp_svae.training.mixture_weights import fit_mixture_weights

logger = logging.getLogger(__name__)


@Trainer.register("mixture")
class MixtureTrainer(NoOpTrainer):
    """
    AllenNLP's `no_op`, with the metrics on the validation data. Before, the weights may be fitted to it, and the
    confidences are calibrated on it.

    # Parameters

    serialization_dir : `str`
    model : `Model`
        An `inflection_mixture`.
    validation_data_loader : `DataLoader`, optional (default = `None`)
    fit_weights : `bool`, optional (default = `False`)
        Whether the weights are fitted to the validation data, by `fit_mixture_weights`. Each distinct
        inflection counts once, as in the metrics.
    """

    def __init__(
        self,
        serialization_dir: str,
        model: Model,
        validation_data_loader: Optional[DataLoader] = None,
        fit_weights: bool = False,
    ) -> None:
        super().__init__(serialization_dir, model)
        if not isinstance(model, InflectionMixture):
            raise ConfigurationError("The trainer `mixture` is for an inflection_mixture.")
        if fit_weights and validation_data_loader is None:
            raise ConfigurationError(
                "Weights are fitted to validation data. Remedy: set `validation_data_path`, or `fit_weights` "
                "to false."
            )
        self._mixture = model
        self._validation = validation_data_loader
        self._fit_weights = fit_weights

    def train(self) -> Dict[str, Any]:
        """
        The weights, as `weight_0`, `weight_1` and so on, and the metrics on the validation data, as
        `validation_*`.
        """
        if self._fit_weights:
            assert self._validation is not None
            instances = list(self._validation.iter_instances())
            log_probs = self._mixture.component_log_probs(instances)
            self._mixture.weights = fit_mixture_weights(log_probs).tolist()
            logger.info("Weights of the mixture: %s", self._mixture.weights)
        if self._validation is not None:
            # Exact scores of several models take their time.
            calibrate(self._mixture, self._validation, MAX_SENTENCES)
        metrics = super().train()
        weights = enumerate(self._mixture.weights)
        metrics.update({f"weight_{number}": weight for number, weight in weights})
        if self._validation is not None:
            measured = evaluate(self.model, self._validation)
            metrics.update({f"validation_{name}": value for name, value in measured.items()})
        return metrics
