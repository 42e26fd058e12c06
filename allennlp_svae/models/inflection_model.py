"""What every inflector p(f | ℓ, m) offers, whatever it is inside (paper, section 4.2 (3))."""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model

from allennlp_svae.dataset_readers.inflections import strings_of
from allennlp_svae.modules.calibration import Calibration
from allennlp_svae.modules.candidates import Candidates, log_probs_of, ranked
from allennlp_svae.modules.form_ranker import FormRanker
from allennlp_svae.training.inflection_metrics import InflectionMetric

# Lemma, tag and form of an inflection, as `{"lemma", "tag", "form"}`.
Strings = Dict[str, Any]


class Answer(NamedTuple):
    """What an inflector makes of a batch."""

    losses: Optional[torch.Tensor]
    """
    -log p(f | ℓ, m) of each in nats, shape `(batch_size,)`, if there are forms. Characters that can not be written are
    left out of it, since nothing could make them likelier.
    """
    search: Callable[[], List[Candidates]]
    """Finds for each up to `TOP` forms, best first, with `metric_beam_size`."""


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

    def forward(
        self,
        lemma: TextFieldTensors,
        tag: TextFieldTensors,
        form: Optional[TextFieldTensors] = None,
        weight: Optional[torch.Tensor] = None,
        metadata: Optional[List[Strings]] = None,
    ) -> Dict[str, Any]:
        """
        # Parameters

        lemma, tag, form : `TextFieldTensors`
            As the `inflections` reader makes them; token ids of shape `(batch_size, length)`.
        weight : `torch.Tensor`, optional (default = all one)
            Shape `(batch_size,)`.
        metadata : `List[Dict[str, Any]]`, optional (default = none)
            The strings, for copying and for the metrics.

        # Returns

        `Dict[str, Any]`
            `loss`, the weighted mean over the batch of `Answer.losses`, if there are forms. When not training, what
            was found of each inflection, best first: forms and log p in nats as `candidates`, the first as `forms`
            and `log_probs`.
        """
        strings = metadata or []
        answer = self.answer(lemma, tag, form, strings)
        output: Dict[str, Any] = {}
        if answer.losses is not None:
            losses = answer.losses if weight is None else weight * answer.losses
            output["loss"] = losses.mean()
        if not self.training:
            found = answer.search()
            output["candidates"] = found
            output["forms"] = [candidates[0][0] for candidates in found]
            output["log_probs"] = torch.tensor([candidates[0][1] for candidates in found])
            if strings:
                self._metric.of_search(found, self.metric_beam_size, strings, self.confidences)
        return output

    def answer(
        self,
        lemma: TextFieldTensors,
        tag: TextFieldTensors,
        form: Optional[TextFieldTensors],
        strings: Sequence[Strings],
    ) -> Answer:
        """What `forward` tells of; parameters as there."""
        raise NotImplementedError

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
        many forms as `beam_size`; a wider search leaves theirs as they are.
        """
        return self.calibration(found, self._preferences(found), self.beam_size or 1)

    def calibrate(self, instances: Sequence[Instance]) -> None:
        """Fits `calibration` to instances with a form, or leaves it as it is where there are none."""
        if not instances:
            return
        found = self.inflect(instances, self.beam_size or 1)
        gold = [strings_of(instance)["form"] for instance in instances]
        self.calibration.fit(found, self._preferences(found), gold)

    def _ranked(self, found: Sequence[Candidates]) -> List[Candidates]:
        return ranked(found, self._preferences(found))

    def _preferences(self, found: Sequence[Candidates]) -> List[List[float]]:
        return log_probs_of(found) if self._ranker is None else self._ranker.preferences(found)

    def forget(self) -> None:
        """Drops what was gathered rather than trained, before it is trained on other data from where it is."""

    def sample(self, instances: Sequence[Instance], temperature: float = 1.0) -> List[str]:
        """For each instance one form f ~ p(· | ℓ, m), drawn with torch's global generator."""
        raise NotImplementedError

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        """For each instance log p(f | ℓ, m) of its own form, in nats."""
        raise NotImplementedError
