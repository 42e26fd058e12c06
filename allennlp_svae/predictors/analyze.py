"""The `analyze` predictor: sentences to lemmas and tags, by the inference network."""

from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model
from allennlp.predictors import Predictor

from allennlp_svae.data.sentence import Sentence
from allennlp_svae.predictors.sentences import SentencePredictor

CONFIDENCE = "Conf"


@Predictor.register("analyze")
class AnalyzePredictor(SentencePredictor):
    """
    Annotates sentences with LEMMA, UPOS and FEATS; see `SentencePredictor` for input and output.

    # Parameters

    model : `Model`
        A `svae`, or an `InferenceNetwork` alone.
    dataset_reader : `DatasetReader`
        Of the archive.
    k_best : `int`, optional (default = `1`)
        How many annotations of each sentence, best first, as sentences of their own under the
        comments `# rank` and `# log_prob` (log q(ℓ, m | f), in nats). Set it with
        `--predictor-args '{"k_best": 3}'`.
    confidence : `bool`, optional (default = `False`)
        Whether MISC tells of each word how probable it is that LEMMA, UPOS and FEATS are all right, as
        `Conf=0.93`; see `InferenceNetwork.confidences`. Set it with `--predictor-args '{"confidence": true}'`.
    **kwargs
        Those of `JsonLinesPredictor`.
    """

    def __init__(
        self,
        model: Model,
        dataset_reader: DatasetReader,
        k_best: int = 1,
        confidence: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(model, dataset_reader, **kwargs)
        if type(k_best) is not int or k_best < 1:
            raise ConfigurationError(
                f"`k_best` is {k_best!r}; it has to be a positive whole number."
            )
        if type(confidence) is not bool:
            raise ConfigurationError(f"`confidence` is {confidence!r}; it has to be true or false.")
        self.k_best = k_best
        self.confidence = confidence

    def conllu_of(self, instances: Sequence[Instance]) -> List[str]:
        if self.k_best != 1:
            ranked = self.network.k_best(instances, self.k_best)
            return ["".join(self._ranked(*pair)) for pair in zip(instances, ranked, strict=True)]
        if not self.confidence:
            annotated = self.network.annotate(instances)
            return [self.formatted(*pair) for pair in zip(instances, annotated, strict=True)]
        confident = self.network.annotate_with_confidences(instances)
        return [
            self.formatted(instance, sentence, _miscs(confidences))
            for instance, (sentence, confidences) in zip(instances, confident, strict=True)
        ]

    def _ranked(
        self, instance: Instance, candidates: Sequence[Tuple[Sentence, float]]
    ) -> Iterator[str]:
        sentences = [sentence for sentence, _ in candidates]
        miscs: Sequence[Optional[List[Dict[str, str]]]] = [None] * len(sentences)
        if self.confidence:
            repeated = [instance] * len(sentences)
            miscs = [*map(_miscs, self.network.confidences(repeated, sentences))]
        rows = zip(candidates, miscs, strict=True)
        for rank, ((sentence, log_prob), misc) in enumerate(rows, start=1):
            comments = [f"rank = {rank}", f"log_prob = {log_prob:.4f}"]
            yield self.formatted(instance, sentence, misc, comments)


def _miscs(confidences: Sequence[float]) -> List[Dict[str, str]]:
    """What to add to MISC of each word of a sentence."""
    return [{CONFIDENCE: f"{confidence:.2f}"} for confidence in confidences]
