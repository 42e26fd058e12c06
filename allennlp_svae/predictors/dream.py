"""The `dream` predictor: sentences from the generative model (paper, section 5.2, Appendix B)."""

from typing import Any, List

from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader
from allennlp.models import Model
from allennlp.predictors import Predictor

from allennlp_svae.data.conllu_format import format_sentence
from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Sentence
from allennlp_svae.models.parts import composite, reader_of
from allennlp_svae.models.svae import MAX_TRIALS, StructuredVAE
from allennlp_svae.predictors.json_lines import JsonLinesPredictor, shown
from allennlp_svae.predictors.sentences import CONLLU
from allennlp_svae.training.instances_loader import seed_everything

APPENDIX_A_TEMPERATURE = 0.75
# More sentences are dreamed in turn, so that memory does not grow with their number.
DREAMED_TOGETHER = 2000


@Predictor.register("dream")
class DreamPredictor(JsonLinesPredictor):
    """
    A JSON line `{"count": 3, "temperature": 0.75, "seed": 1}`, each key optional, gives that many
    sampled sentences as CoNLL-U. The temperature cools the lemma LM; the same seed gives the same
    sentences.
    """

    keys = frozenset(("count", "temperature", "seed"))
    example = '{"count": 3, "temperature": 0.75, "seed": 1}'

    def __init__(self, model: Model, dataset_reader: DatasetReader, **kwargs: Any) -> None:
        super().__init__(model, dataset_reader, **kwargs)
        self.model: StructuredVAE = composite(model)
        reader = reader_of(dataset_reader, "inflector")
        self.instance_of = reader.text_to_instance
        self.tagset: str = reader.tagset

    def predict_json(self, inputs: JsonDict) -> JsonDict:
        count = inputs.get("count", 1)
        temperature = inputs.get("temperature", APPENDIX_A_TEMPERATURE)
        seed = inputs.get("seed", 0)
        are_right = _is_positive(count, int) and _is_positive(temperature, int, float)
        if not are_right or type(seed) is not int:
            raise DataError(
                f"The input {shown(inputs)} cannot be dreamed.",
                remedy=f"write {self.example}, the first two above zero.",
            )
        seed_everything("dream", seed)
        sentences: List[Sentence] = []
        failures = 0
        while len(sentences) < count:
            missing = min(DREAMED_TOGETHER, count - len(sentences))
            found = self.model.dream(missing, self.instance_of, temperature)
            sentences += found
            failures = 0 if found else failures + 1
            if failures == MAX_TRIALS:
                raise DataError(
                    f"Of {shown(inputs)} {count - len(sentences)} sentences have an empty word however often they are "
                    "dreamed.",
                    remedy="lower the temperature, or use an archive that was trained on more.",
                )
        return {CONLLU: "".join(format_sentence(each, self.tagset) for each in sentences)}

    def predict_batch_json(self, inputs: List[JsonDict]) -> List[JsonDict]:
        return [self.predict_json(each) for each in inputs]

    def dump_line(self, outputs: JsonDict) -> str:
        return outputs[CONLLU]


def _is_positive(value: Any, *types: type) -> bool:
    return type(value) in types and value > 0
