"""What every inflector p(f | ℓ, m) offers, whatever it is inside (paper, section 4.2 (3))."""

from typing import Any, Dict, List, Optional, Sequence

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance
from allennlp.models import Model

from allennlp_svae.modules.candidates import Candidates


class InflectionModel(Model):
    """
    A distribution over forms given lemma and tag. Instances are those of the `inflections` reader; an
    instance without a form will do everywhere but in `log_prob`.
    """

    @property
    def beam_size(self) -> Optional[int]:
        """How wide `inflect` searches at least; `None` where nothing is searched. Can be set."""
        return None

    @beam_size.setter
    def beam_size(self, width: int) -> None:
        raise ConfigurationError(f"{type(self).__name__} has no beam search: set no beam size.")

    @property
    def metric_beam_size(self) -> int:
        """How wide `forward` searches."""
        return 1

    def inflect(self, instances: Sequence[Instance], n_best: int = 1) -> List[Candidates]:
        """For each instance up to `n_best` distinct (form, log p(f | ℓ, m)), best first."""
        raise NotImplementedError

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
