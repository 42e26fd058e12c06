"""What wake-sleep asks of an inference network q(ℓ, m | f), whatever its family (paper, section 5.5)."""

from typing import List, Literal, Sequence, Tuple

from allennlp.data import Instance
from allennlp.models import Model

from allennlp_svae.data.sentence import Sentence


class InferenceNetwork(Model):
    """
    A distribution over the lemmas and tags of a sentence given its forms. Instances are those of the
    `tagged_sentences` reader; an instance without annotation will do everywhere but in `log_prob`.
    """

    def annotate(
        self, instances: Sequence[Instance], how: Literal["best", "sample"] = "best"
    ) -> List[Sentence]:
        """
        Each sentence with lemmas and tags: the best path under q, or one drawn from q with torch's
        global generator.
        """
        raise NotImplementedError

    def k_best(self, instances: Sequence[Instance], k: int) -> List[List[Tuple[Sentence, float]]]:
        """For each sentence its up to `k` best distinct annotations with log q, best first."""
        raise NotImplementedError

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        """For each annotated sentence log q(ℓ, m | f), in nats; -inf where q cannot produce it."""
        raise NotImplementedError
