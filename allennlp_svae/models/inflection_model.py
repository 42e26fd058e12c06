"""What every inflector p(f | ℓ, m) offers, whatever it is inside (paper, section 4.2 (3))."""

from typing import Any, Dict, List, Optional, Sequence

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, Vocabulary
from allennlp.models import Model

from allennlp_svae.dataset_readers.inflections import strings_of
from allennlp_svae.modules.calibration import Calibration
from allennlp_svae.modules.candidates import Candidates, log_probs_of, ranked
from allennlp_svae.modules.form_ranker import FormRanker
from allennlp_svae.training.inflection_metrics import InflectionMetric


class InflectionModel(Model):
    """
    A distribution over forms given lemma and tag. Instances are those of the `inflections` reader; an
    instance without a form will do everywhere but in `log_prob`.

    # Parameters

    vocab : `Vocabulary`
    ranker : `FormRanker`, optional (default = by log-probability)
        Chooses among the forms that were found. It is no part of p(f | ℓ, m): log-probabilities and samples
        are without it.
    """

    default_predictor = "inflect"

    def __init__(
        self, vocab: Vocabulary, ranker: Optional[FormRanker] = None, **kwargs: Any
    ) -> None:
        super().__init__(vocab, **kwargs)
        self._ranker = ranker
        self._metric_beam_size: Optional[int] = None
        self._metric = InflectionMetric(vocab)
        self.calibration = Calibration()

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        """Those of `InflectionMetric`; none when training, which does not decode."""
        return self._metric.get_metric(reset)

    @property
    def beam_size(self) -> Optional[int]:
        """How wide `inflect` searches at least; `None` where nothing is searched. Can be set."""
        return None

    @beam_size.setter
    def beam_size(self, width: int) -> None:
        raise ConfigurationError(f"{type(self).__name__} has no beam search: set no beam size.")

    @property
    def metric_beam_size(self) -> int:
        """How wide `forward` searches, as `inflect` unless set; 1 where nothing is searched. Can be set."""
        return self._metric_beam_size or self.beam_size or 1

    @metric_beam_size.setter
    def metric_beam_size(self, width: int) -> None:
        if self.beam_size is None:
            raise ConfigurationError(f"{type(self).__name__} has no beam search: set no beam size.")
        self._metric_beam_size = width

    def inflect(self, instances: Sequence[Instance], n_best: int = 1) -> List[Candidates]:
        """For each instance up to `n_best` distinct (form, log p(f | ℓ, m)), best first."""
        raise NotImplementedError

    def confidences(self, found: Sequence[Candidates]) -> List[List[float]]:
        """
        Of each form that a search found the probability that it is right. To be trusted after `calibrate`, for as
        many forms as `beam_size`.
        """
        return self.calibration(found, self._preferences(found))

    def calibrate(self, instances: Sequence[Instance]) -> None:
        """Fits `calibration` to instances with a form."""
        found = self.inflect(instances, self.beam_size or 1)
        gold = [strings_of(instance)["form"] for instance in instances]
        self.calibration.fit(found, self._preferences(found), gold)

    def _ranked(self, found: Sequence[Candidates]) -> List[Candidates]:
        return ranked(found, self._preferences(found))

    def _preferences(self, found: Sequence[Candidates]) -> List[List[float]]:
        return log_probs_of(found) if self._ranker is None else self._ranker.preferences(found)

    def sample(self, instances: Sequence[Instance], temperature: float = 1.0) -> List[str]:
        """For each instance one form f ~ p(· | ℓ, m), drawn with torch's global generator."""
        raise NotImplementedError

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        """For each instance log p(f | ℓ, m) of its own form, in nats."""
        raise NotImplementedError


def outputs_of(found: List[Candidates]) -> Dict[str, Any]:
    """
    What `forward` returns of each inflection's forms and their log-probabilities in nats, best first: all as
    `candidates`, the first as `forms` and `log_probs`.
    """
    return {
        "candidates": found,
        "forms": [candidates[0][0] for candidates in found],
        "log_probs": torch.tensor([candidates[0][1] for candidates in found]),
    }
