"""The `reconstruct` predictor: the autoencoder view p(f | f̂) (paper, section 5.6)."""

from typing import Any, List, Sequence

import torch
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model
from allennlp.predictors import Predictor

from allennlp_svae.data.sentence import Sentence
from allennlp_svae.models.parts import composite, reader_of
from allennlp_svae.models.svae import StructuredVAE
from allennlp_svae.predictors.sentences import SentencePredictor

BEST = "Reconstruction"
SAMPLED = "Sampled"


@Predictor.register("reconstruct")
class ReconstructPredictor(SentencePredictor):
    """
    Encodes each sentence into lemmas and tags and decodes those back into forms. The CoNLL-U output
    holds the best encoding; MISC holds `Reconstruction=`, its best decoding, and `Sampled=`, the
    decoding of a sampled encoding. See `SentencePredictor` for the input.

    # Parameters

    model : `Model`
        A `svae`.
    dataset_reader : `DatasetReader`
        Of the archive.
    seed : `int`, optional (default = `0`)
        Of the samples; `--predictor-args '{"seed": 1}'`.
    **kwargs
        Those of `JsonLinesPredictor`. With other `processes` the samples are others.
    """

    def __init__(
        self, model: Model, dataset_reader: DatasetReader, seed: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(model, dataset_reader, **kwargs)
        self.model: StructuredVAE = composite(model)
        self.instance_of = reader_of(dataset_reader, "inflector").text_to_instance
        torch.manual_seed(seed)

    def conllu_of(self, instances: Sequence[Instance]) -> List[str]:
        sentences = self.network.annotate(instances)
        best = self.model.decode(sentences, self.instance_of, "best")
        encoded = self.network.annotate(instances, "sample")
        sampled = self.model.decode(encoded, self.instance_of, "sample")
        return [
            self._with_decodings(*each)
            for each in zip(instances, sentences, best, sampled, strict=True)
        ]

    def _with_decodings(
        self, instance: Instance, sentence: Sentence, best: List[str], sampled: List[str]
    ) -> str:
        misc = [{BEST: form, SAMPLED: other} for form, other in zip(best, sampled, strict=True)]
        return self.formatted(instance, sentence, misc)
