"""`allennlp predict --predictor inflect`: lemma and tag to form."""

from collections import defaultdict
from typing import Any, Dict, List

from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model
from allennlp.predictors import Predictor

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.unimorph_tsv import inflection_line
from allennlp_svae.dataset_readers.inflections import strings_of
from allennlp_svae.predictors.inflections import UNIMORPH, InflectionsPredictor
from allennlp_svae.predictors.json_lines import shown


@Predictor.register("inflect")
class InflectPredictor(InflectionsPredictor):
    """
    From `{"lemma": "weep", "tag": "V;PST"}` to `{"lemma", "tag", "form", "log_prob", "confidence", "candidates":
    [{"form", "log_prob", "confidence"}, …]}`, best candidate first: log p(f | ℓ, m) in nats, and the probability
    that the form is right (see `InflectionModel.confidences`). `"n_best"` in the input is how many candidates
    there are at most. `"unknown"`, if there are any, are the parts of the tag that no labelled tag has.

    With `--use-dataset-reader` the input is a UniMorph file, where the form may be missing, and the output one with
    as many lines, or the input is CoNLL-U and the output a line for each distinct inflection.

    # Parameters

    model, dataset_reader
        As for `InflectionsPredictor`.
    n_best : `int`, optional (default = `3`)
        Used where the input does not say; the paper's beam is 3.
    **kwargs
        Those of `JsonLinesPredictor`.
    """

    keys = frozenset(("lemma", "tag", "n_best"))
    example = '{"lemma": "weep", "tag": "V;PST"}'

    def __init__(
        self, model: Model, dataset_reader: DatasetReader, n_best: int = 3, **kwargs: Any
    ) -> None:
        super().__init__(model, dataset_reader, **kwargs)
        self._n_best = n_best
        self._n_best_of({"n_best": n_best})

    def predict_batch_json(self, inputs: List[JsonDict]) -> List[JsonDict]:
        instances = [self._json_to_instance(item) for item in inputs]
        # A wider beam can find another best form: items that ask for more have a beam of their own.
        positions: Dict[int, List[int]] = defaultdict(list)
        for position, item in enumerate(inputs):
            positions[self._n_best_of(item)].append(position)
        outputs: List[JsonDict] = [{} for _ in inputs]
        for n_best, members in positions.items():
            answers = self._found([instances[member] for member in members], n_best)
            for member, candidates, sure in zip(members, *answers, strict=True):
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
                unknown = self._unknown_parts(inputs[member]["lemma"], inputs[member]["tag"])
                if unknown:
                    outputs[member]["unknown"] = unknown
        return outputs

    def predict_batch_instance(self, instances: List[Instance]) -> List[JsonDict]:
        found = self._inflector.inflect(instances)
        for strings in map(strings_of, instances):
            self._unknown_parts(strings["lemma"], strings["tag"])
        return [
            {UNIMORPH: inflection_line(strings["lemma"], candidates[0][0], strings["tag"])}
            for strings, candidates in zip(map(strings_of, instances), found, strict=True)
        ]

    def _n_best_of(self, inputs: JsonDict) -> int:
        n_best = inputs.get("n_best", self._n_best)
        if type(n_best) is not int or n_best < 1:
            raise DataError(
                f'"n_best" is {n_best!r}: {shown(inputs)}.',
                remedy="give a positive whole number or leave it out.",
            )
        return n_best
