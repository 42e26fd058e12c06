"""What predictors that are given a lemma and a tag, and answer with forms, share."""

import json
from typing import List, Tuple

from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.modules.candidates import Candidates
from allennlp_svae.predictors.json_lines import JsonLinesPredictor
from allennlp_svae.predictors.parts import part_of, reader_of

# Lines of a UniMorph file, as a key of its own, tell `dump_line` what was asked for.
UNIMORPH = "unimorph"


class InflectionsPredictor(JsonLinesPredictor):
    """
    A line of input is `{"lemma": …, "tag": …}`; with `--use-dataset-reader` it is one of a file that the `inflections`
    reader reads, and the output is UniMorph. Subclasses predict batches.

    # Parameters

    model : `Model`
        An `InflectionModel`, or an `svae`, which has one.
    dataset_reader : `DatasetReader`
        The `inflections` reader, or that of an `svae`.
    """

    def __init__(self, model: Model, dataset_reader: DatasetReader, frozen: bool = True) -> None:
        super().__init__(model, dataset_reader, frozen)
        self._inflector = part_of(model, "inflector")
        self._reader = reader_of(dataset_reader, "inflector")
        self._reader.allow_missing_form = True

    def dump_line(self, outputs: JsonDict) -> str:
        if UNIMORPH in outputs:
            return f"{outputs[UNIMORPH]}\n"
        return json.dumps(outputs, ensure_ascii=False) + "\n"

    def predict_json(self, inputs: JsonDict) -> JsonDict:
        return self.predict_batch_json([inputs])[0]

    def predict_instance(self, instance: Instance) -> JsonDict:
        return self.predict_batch_instance([instance])[0]

    def _found(
        self, instances: List[Instance], n_best: int = 1
    ) -> Tuple[List[Candidates], List[List[float]]]:
        """For each instance all forms that a beam of `n_best` at least finds, and their confidences."""
        # Confidences are calibrated for all that the beam found.
        width = max(n_best, self._inflector.beam_size or 1)
        found = self._inflector.inflect(instances, width)
        return found, self._inflector.confidences(found)

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        """
        # Raises

        `DataError` where a key is missing or a value cannot be used.
        """
        for key in ("lemma", "tag"):
            if not isinstance(json_dict.get(key), str):
                raise DataError(
                    f'The input has no string under "{key}": {json_dict}.',
                    remedy=f"write {self.example}.",
                )
        try:
            tag = MorphTag.parse(json_dict["tag"])
        except ValueError as error:
            raise DataError(str(error), remedy=f"write {self.example}.") from error
        return self._reader.text_to_instance(json_dict["lemma"], tag)
