"""`allennlp predict --predictor inflect`: lemma and tag to form."""

import json
from collections import defaultdict
from typing import Dict, List

from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model
from allennlp.predictors import Predictor

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.inflections import strings_of
from allennlp_svae.predictors.json_lines import JsonLinesPredictor
from allennlp_svae.predictors.parts import part_of, reader_of

EXAMPLE = '{"lemma": "weep", "tag": "V;PST"}'
# The line of a UniMorph file, as a key of its own, tells `dump_line` what was asked for.
UNIMORPH = "unimorph"


@Predictor.register("inflect")
class InflectPredictor(JsonLinesPredictor):
    """
    From `{"lemma": "weep", "tag": "V;PST"}` to `{"lemma", "tag", "form", "log_prob", "confidence", "candidates":
    [{"form", "log_prob", "confidence"}, …]}`, best candidate first: log p(f | ℓ, m) in nats, and the probability
    that the form is right (see `InflectionModel.confidences`). `"n_best"` in the input is how many candidates
    there are at most.

    With `--use-dataset-reader` the input is a file that the `inflections` reader reads (UniMorph,
    where the form may be missing, or CoNLL-U) and the output a line of a UniMorph file for each
    distinct inflection.

    # Parameters

    model : `Model`
        An `InflectionModel`, or an `svae`, which has one.
    dataset_reader : `DatasetReader`
        The `inflections` reader, or that of an `svae`.
    n_best : `int`, optional (default = `3`)
        Used where the input does not say; the paper's beam is 3.
    """

    example = EXAMPLE

    def __init__(
        self, model: Model, dataset_reader: DatasetReader, n_best: int = 3, frozen: bool = True
    ) -> None:
        super().__init__(model, dataset_reader, frozen)
        self._inflector = part_of(model, "inflector")
        self._reader = reader_of(dataset_reader, "inflector")
        self._n_best = n_best

    def dump_line(self, outputs: JsonDict) -> str:
        if UNIMORPH in outputs:
            return f"{outputs[UNIMORPH]}\n"
        return json.dumps(outputs, ensure_ascii=False) + "\n"

    def predict_json(self, inputs: JsonDict) -> JsonDict:
        return self.predict_batch_json([inputs])[0]

    def predict_batch_json(self, inputs: List[JsonDict]) -> List[JsonDict]:
        instances = [self._json_to_instance(item) for item in inputs]
        # A wider beam can find another best form: items that ask for more have a beam of their own.
        positions: Dict[int, List[int]] = defaultdict(list)
        for position, item in enumerate(inputs):
            positions[self._n_best_of(item)].append(position)
        outputs: List[JsonDict] = [{} for _ in inputs]
        for n_best, members in positions.items():
            # Confidences are calibrated for all that the beam found.
            width = max(n_best, self._inflector.beam_size or 1)
            found = self._inflector.inflect([instances[member] for member in members], width)
            confidences = self._inflector.confidences(found)
            for member, candidates, sure in zip(members, found, confidences, strict=True):
                form, log_prob = candidates[0]
                outputs[member] = {
                    "lemma": inputs[member]["lemma"],
                    "tag": inputs[member]["tag"],
                    "form": form,
                    "log_prob": log_prob,
                    "confidence": sure[0],
                    "candidates": [
                        {"form": text, "log_prob": score, "confidence": confidence}
                        for (text, score), confidence in zip(candidates, sure, strict=True)
                    ][:n_best],
                }
        return outputs

    def predict_instance(self, instance: Instance) -> JsonDict:
        return self.predict_batch_instance([instance])[0]

    def predict_batch_instance(self, instances: List[Instance]) -> List[JsonDict]:
        found = self._inflector.inflect(instances)
        return [
            {UNIMORPH: "\t".join((strings["lemma"], candidates[0][0], strings["tag"]))}
            for strings, candidates in zip(map(strings_of, instances), found, strict=True)
        ]

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        """
        # Raises

        `DataError` where a key is missing or a value cannot be used.
        """
        for key in ("lemma", "tag"):
            if not isinstance(json_dict.get(key), str):
                raise DataError(
                    f'The input has no string under "{key}": {json_dict}.',
                    remedy=f"write {EXAMPLE}.",
                )
        try:
            tag = MorphTag.parse(json_dict["tag"])
        except ValueError as error:
            raise DataError(str(error), remedy=f"write {EXAMPLE}.") from error
        return self._reader.text_to_instance(json_dict["lemma"], tag)

    def _n_best_of(self, inputs: JsonDict) -> int:
        n_best = inputs.get("n_best", self._n_best)
        if type(n_best) is not int or n_best < 1:
            raise DataError(
                f'"n_best" is {n_best!r}.', remedy="give a positive whole number or leave it out."
            )
        return n_best
