"""The `analyze` predictor: sentences to lemmas and tags, by the inference network."""

from typing import List, Sequence

from allennlp.data import DatasetReader, Instance
from allennlp.models import Model
from allennlp.predictors import Predictor

from allennlp_svae.predictors.sentences import SentencePredictor


@Predictor.register("analyze")
class AnalyzePredictor(SentencePredictor):
    """
    Annotates sentences with LEMMA, UPOS and FEATS; see `SentencePredictor` for input and output.

    # Parameters

    model : `Model`
        A `svae`, or an `InferenceNetwork` alone.
    dataset_reader : `DatasetReader`
        Of the archive.
    frozen : `bool`, optional (default = `True`)
        As in `Predictor`.
    k_best : `int`, optional (default = `1`)
        How many annotations of each sentence, best first, as sentences of their own under the
        comments `# rank` and `# log_prob` (log q(ℓ, m | f), in nats). Set it with
        `--predictor-args '{"k_best": 3}'`.
    """

    def __init__(
        self, model: Model, dataset_reader: DatasetReader, frozen: bool = True, k_best: int = 1
    ) -> None:
        super().__init__(model, dataset_reader, frozen)
        self.k_best = k_best

    def conllu_of(self, instances: Sequence[Instance]) -> List[str]:
        if self.k_best == 1:
            sentences = self.network.annotate(instances)
            return [self.formatted(*pair) for pair in zip(instances, sentences, strict=True)]
        ranked = self.network.k_best(instances, self.k_best)
        return [
            "".join(
                self.formatted(
                    instance,
                    sentence,
                    comments=[f"rank = {rank}", f"log_prob = {log_prob:.4f}"],
                )
                for rank, (sentence, log_prob) in enumerate(candidates, start=1)
            )
            for instance, candidates in zip(instances, ranked, strict=True)
        ]
