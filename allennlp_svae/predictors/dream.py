"""The `dream` predictor: sentences from the generative model (paper, section 5.2, Appendix B)."""

from typing import Any, List

from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader
from allennlp.models import Model
from allennlp.predictors import Predictor

from allennlp_svae.data.conllu_format import format_sentence
from allennlp_svae.data.errors import DataError
from allennlp_svae.models.svae import StructuredVAE
from allennlp_svae.predictors.json_lines import JsonLinesPredictor
from allennlp_svae.predictors.parts import composite, reader_of
from allennlp_svae.predictors.sentences import CONLLU
from allennlp_svae.training.instances_loader import seed_everything

APPENDIX_A_TEMPERATURE = 0.75


@Predictor.register("dream")
class DreamPredictor(JsonLinesPredictor):
    """
    A JSON line `{"count": 3, "temperature": 0.75, "seed": 1}`, each key optional, gives that many
    sampled sentences as CoNLL-U. The temperature cools the lemma LM; the same seed gives the same
    sentences.
    """

    example = '{"count": 3, "temperature": 0.75, "seed": 1}'

    def __init__(self, model: Model, dataset_reader: DatasetReader, frozen: bool = True) -> None:
        super().__init__(model, dataset_reader, frozen)
        self.model: StructuredVAE = composite(model)
        reader = reader_of(dataset_reader, "inflector")
        self.instance_of = reader.text_to_instance
        self.tagset: str = reader.tagset

    def predict_json(self, inputs: JsonDict) -> JsonDict:
        count = inputs.get("count", 1)
        temperature = inputs.get("temperature", APPENDIX_A_TEMPERATURE)
        if not _is_positive(count, int) or not _is_positive(temperature, int, float):
            raise DataError(
                f"The input {inputs!r} cannot be dreamed.",
                remedy=f"write {self.example}, the first two above zero.",
            )
        seed_everything("dream", inputs.get("seed", 0))
        sentences = self.model.dream(count, self.instance_of, temperature)
        while len(sentences) < count:
            missing = count - len(sentences)
            sentences += self.model.dream(missing, self.instance_of, temperature)
        return {CONLLU: "".join(format_sentence(each, self.tagset) for each in sentences)}

    def predict_batch_json(self, inputs: List[JsonDict]) -> List[JsonDict]:
        return [self.predict_json(each) for each in inputs]

    def dump_line(self, outputs: JsonDict) -> str:
        return outputs[CONLLU]


def _is_positive(value: Any, *types: type) -> bool:
    return type(value) in types and value > 0
