"""What wake-sleep asks of an inference network q(ℓ, m | f), whatever its family (paper, section 5.5)."""

import math
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    List,
    Literal,
    Sequence,
    Tuple,
)

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.data.fields import MetadataField
from allennlp.models import Model

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.word_features_indexer import WORD_FEATURES
from allennlp_svae.modules.batching import in_batches
from allennlp_svae.modules.calibration import Calibration
from allennlp_svae.modules.candidates import Candidates, log_probs_of
from allennlp_svae.modules.token_analysis import TokenAnalysis
from allennlp_svae.training.ratio import Ratio
from allennlp_svae.training.tagging_accuracy import TaggingAccuracy

# Words scored at once when annotating, padding included: enough to fill the matrix products.
ANNOTATED_WORDS = 1000


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
        self._accuracy = TaggingAccuracy()
        self._log_likelihood = Ratio()
        self._unknown_tag_rate = Ratio()

    def annotate(
        self, instances: Sequence[Instance], how: Literal["best", "sample"] = "best"
    ) -> List[Sentence]:
        """
        Each sentence with lemmas and tags: the best path under q, or one drawn from q with torch's
        global generator.
        """
        if how not in ("best", "sample"):
            raise ValueError(f"how must be 'best' or 'sample', not {how!r}.")
        return self._in_batches(instances, lambda scores: self._decode(scores, how))

    def k_best(self, instances: Sequence[Instance], k: int) -> List[List[Tuple[Sentence, float]]]:
        """For each sentence its up to `k` best distinct annotations with log q, best first."""
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}.")
        return self._in_batches(instances, lambda scores: self._k_best(scores, k))

    def analyses(self, instances: Sequence[Instance], k: int) -> List[List[List[TokenAnalysis]]]:
        """
        For each token of each sentence its up to `k` most probable pairs of lemma and tag, best first, whatever the
        other tokens' are.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}.")
        return self._in_batches(instances, lambda scores: self._analyses(scores, k))

    def remember(self, at_most: int) -> None:
        """
        From now on it does not learn any more: it may keep so many answers of each thing that it asks, for sentences
        to come. Without effect where there is nothing to keep.
        """

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        """
        For each annotated sentence log q(ℓ, m | f), in nats; -inf where q cannot produce it. Lemmas that are missing
        are summed out.

        # Raises

        `DataError` where a word has no tag.
        """
        raise NotImplementedError

    def posteriors(
        self, instances: Sequence[Instance], annotations: Sequence[Sentence]
    ) -> List[List[float]]:
        """
        For each token q(ℓ_n, m_n | f) of its lemma and tag, whatever the other tokens' are, or q(m_n | f) where it has
        no lemma; 0 where q cannot produce them.

        # Parameters

        instances : `Sequence[Instance]`
        annotations : `Sequence[Sentence]`
            Of the instances, with a tag on every word.

        # Raises

        `DataError` where a word has no tag.
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

    def annotate_with_confidences(
        self, instances: Sequence[Instance]
    ) -> List[Tuple[Sentence, List[float]]]:
        """Of each sentence what `annotate` finds best, and the `confidences` of that."""
        found = self._best_with_posteriors(instances)
        return [(annotation, self._calibrated(annotation, probs)) for annotation, probs in found]

    def calibrate(self, instances: Sequence[Instance]) -> None:
        """Fits `calibration` to the best annotations of instances, of the words that have a lemma and a tag."""
        found: List[Candidates] = []
        gold: List[str] = []
        annotated = self._best_with_posteriors(instances)
        for instance, (annotation, probs) in zip(instances, annotated, strict=True):
            answers = instance["metadata"].metadata.tokens
            for answer, one in zip(answers, _candidates(annotation, probs), strict=True):
                if answer.lemma is not None and answer.tag is not None:
                    found.append(one)
                    gold.append(_analysis(answer))
        if found:
            self.calibration.fit(found, log_probs_of(found), gold)

    def _best_with_posteriors(
        self, instances: Sequence[Instance]
    ) -> List[Tuple[Sentence, List[float]]]:
        annotations = self.annotate(instances)
        return list(zip(annotations, self.posteriors(instances, annotations), strict=True))

    def _scores_of(self, tokens: TextFieldTensors, sentences: List[Sentence]) -> Any:
        """All that a family makes of a batch before it answers anything about it."""
        raise NotImplementedError

    # What is asked of a batch: as `Analyses` tells, which its scores are unless a family answers otherwise.

    def _decode(self, scores: Any, how: Literal["best", "sample"]) -> Iterable[Sentence]:
        return scores.decode(how)

    def _k_best(self, scores: Any, k: int) -> Iterable[List[Tuple[Sentence, float]]]:
        return scores.k_best(k)

    def _analyses(
        self, scores: Any, k: int, within: float = math.inf
    ) -> Iterable[List[List[TokenAnalysis]]]:
        return scores.analyses(k, within)

    def _best_tags(self, scores: Any, k: int) -> Iterable[List[List[TokenAnalysis]]]:
        return scores.best_tags(k)

    def _evaluated(
        self, found: Sequence[Sentence], sentences: Sequence[Sentence], is_annotated: bool
    ) -> Dict[str, Any]:
        """`tags` and `lemmas` of what was found as strings; counts how many are right where it is known."""
        if is_annotated:
            self._accuracy([each.tokens for each in found], [each.tokens for each in sentences])
        return {
            "tags": [[str(token.tag) for token in each.tokens] for each in found],
            "lemmas": [[token.lemma for token in each.tokens] for each in found],
        }

    def _in_batches(
        self, instances: Sequence[Instance], compute: Callable[[Any], Iterable[Any]]
    ) -> List[Any]:
        """What `compute` gives for each sentence, from the scores of batches of sentences of like length."""
        # Annotated sentences and raw ones have different fields, but may share a batch here.
        bare = [
            Instance({name: instance[name] for name in ("tokens", "metadata")})
            for instance in instances
        ]
        return in_batches(
            self,
            bare,
            lambda tensors: compute(self._scores_of(tensors["tokens"], tensors["metadata"])),
            lambda instance: len(instance["tokens"]),
            padded_size=ANNOTATED_WORDS,
        )

    def _calibrated(self, annotation: Sentence, posteriors: Sequence[float]) -> List[float]:
        found = _candidates(annotation, posteriors)
        return [confidence for (confidence,) in self.calibration(found, log_probs_of(found))]


def words_of(tokens: TextFieldTensors, name: str = "words") -> torch.Tensor:
    """What the token indexer of `WORD_FEATURES` made; raises `ConfigurationError` where that is lacking."""
    if WORD_FEATURES not in tokens:
        raise ConfigurationError(
            f"Features, vectors and statistics of words need the token indexer {WORD_FEATURES!r}. Remedy: add it to "
            "the reader's token_indexers (and to the embedder, if there is one), or leave them out."
        )
    return tokens[WORD_FEATURES][name]


def with_annotations(
    instances: Sequence[Instance], annotations: Sequence[Sentence]
) -> List[Instance]:
    """The instances as if they were annotated so."""
    return [
        Instance({"tokens": instance["tokens"], "metadata": MetadataField(sentence)})
        for instance, sentence in zip(instances, annotations, strict=True)
    ]


def tag_of(token: Token) -> MorphTag:
    """The token's tag; raises `DataError` where it has none."""
    if token.tag is None:
        raise DataError(
            f"{token.form!r} has no tag.",
            remedy="probabilities of annotations need one on every word.",
        )
    return token.tag


def _candidates(annotation: Sentence, posteriors: Sequence[float]) -> List[Candidates]:
    """Each token's lemma and tag as all that was found for it."""
    return [
        [(_analysis(token), math.log(prob) if prob > 0.0 else -math.inf)]
        for token, prob in zip(annotation.tokens, posteriors, strict=True)
    ]


def _analysis(token: Token) -> str:
    return f"{token.lemma}\t{token.tag}"
