"""What wake-sleep asks of an inference network q(ℓ, m | f), whatever its family (paper, section 5.5)."""

import math
from typing import Any, List, Literal, Sequence, Tuple

from allennlp.data import Instance, Vocabulary
from allennlp.models import Model

from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.modules.calibration import Calibration
from allennlp_svae.modules.candidates import Candidates, log_probs_of


class InferenceNetwork(Model):
    """
    A distribution over the lemmas and tags of a sentence given its forms. Instances are those of the
    `tagged_sentences` reader; an instance without annotation will do everywhere but in `log_prob` and
    `calibrate`.

    # Parameters

    vocab : `Vocabulary`
    """

    def __init__(self, vocab: Vocabulary, **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        self.calibration = Calibration()

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

    def posteriors(
        self, instances: Sequence[Instance], annotations: Sequence[Sentence]
    ) -> List[List[float]]:
        """
        For each token q(ℓ_n, m_n | f) of its lemma and tag, whatever the other tokens' are; 0 where q cannot
        produce them.

        # Parameters

        instances : `Sequence[Instance]`
        annotations : `Sequence[Sentence]`
            Of the instances, with lemma and tag on every word.

        # Raises

        `DataError` where a word has no lemma or no tag.
        """
        raise NotImplementedError

    def confidences(
        self, instances: Sequence[Instance], annotations: Sequence[Sentence]
    ) -> List[List[float]]:
        """
        For each token the probability that its lemma and tag are both right: the posterior, as it is or, after
        `calibrate`, calibrated. Parameters and errors are those of `posteriors`.
        """
        posteriors = self.posteriors(instances, annotations)
        return [self._calibrated(*each) for each in zip(annotations, posteriors, strict=True)]

    def calibrate(self, instances: Sequence[Instance]) -> None:
        """Fits `calibration` to the best annotations of instances, of the words that have a lemma and a tag."""
        annotations = self.annotate(instances)
        found: List[Candidates] = []
        gold: List[str] = []
        for instance, annotation, probs in zip(
            instances, annotations, self.posteriors(instances, annotations), strict=True
        ):
            answers = instance["metadata"].metadata.tokens
            for answer, one in zip(answers, _candidates(annotation, probs), strict=True):
                if answer.lemma is not None and answer.tag is not None:
                    found.append(one)
                    gold.append(_analysis(answer))
        if found:
            self.calibration.fit(found, log_probs_of(found), gold)

    def _calibrated(self, annotation: Sentence, posteriors: Sequence[float]) -> List[float]:
        found = _candidates(annotation, posteriors)
        return [confidence for (confidence,) in self.calibration(found, log_probs_of(found))]


def _candidates(annotation: Sentence, posteriors: Sequence[float]) -> List[Candidates]:
    """Each token's lemma and tag as all that was found for it."""
    return [
        [(_analysis(token), math.log(prob) if prob > 0.0 else -math.inf)]
        for token, prob in zip(annotation.tokens, posteriors, strict=True)
    ]


def _analysis(token: Token) -> str:
    return f"{token.lemma}\t{token.tag}"
