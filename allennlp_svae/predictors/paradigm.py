"""`allennlp predict --predictor paradigm`: a lemma's forms under all tags that there are for it."""

from typing import Any, List

from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model
from allennlp.predictors import Predictor

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.tag import NO_POS, MorphTag
from allennlp_svae.data.unimorph_tsv import inflection_line
from allennlp_svae.dataset_readers.inflections import strings_of
from allennlp_svae.modules.form_ranker import attested_words
from allennlp_svae.modules.tag_inventory import TagInventory
from allennlp_svae.predictors.inflections import UNIMORPH, InflectionsPredictor


@Predictor.register("paradigm")
class ParadigmPredictor(InflectionsPredictor):
    """
    From `{"lemma": "talo", "tag": "N"}` to `{"lemma", "tag", "paradigm": [{"tag", "form", "log_prob", "confidence",
    "attested"}, …]}`: a form for each tag of the labelled data that has the part of speech and the features asked for,
    in the order of tags. More features ask for fewer cells: `"N;FEM"` for those of a feminine noun, and features alone
    for those of any part of speech. `"attested"` tells whether the form is a word of the text, where the archive knows
    the text's words.

    With `--use-dataset-reader` the input is a UniMorph file, of which the forms are not read, and the output a UniMorph
    file with a blank line after each paradigm; one that has no cells is warned of.
    """

    example = '{"lemma": "talo", "tag": "N"}'

    def __init__(self, model: Model, dataset_reader: DatasetReader, **kwargs: Any) -> None:
        super().__init__(model, dataset_reader, **kwargs)
        self._tags = sorted(TagInventory(model.vocab).tags)
        self._words = attested_words(model.vocab)

    def predict_batch_json(self, inputs: List[JsonDict]) -> List[JsonDict]:
        paradigms = self._paradigms([self._json_to_instance(item) for item in inputs])
        for item, paradigm in zip(inputs, paradigms, strict=True):
            if not paradigm:
                raise self._no_cells(item["tag"])
        return [
            {"lemma": item["lemma"], "tag": item["tag"], "paradigm": paradigm}
            for item, paradigm in zip(inputs, paradigms, strict=True)
        ]

    def predict_batch_instance(self, instances: List[Instance]) -> List[JsonDict]:
        asked = [strings_of(instance) for instance in instances]
        paradigms = self._paradigms(instances)
        for strings, paradigm in zip(asked, paradigms, strict=True):
            if not paradigm:
                self.warn(f"cells of {strings['tag']}", str(self._no_cells(strings["tag"])))
        return [
            {
                UNIMORPH: "".join(
                    inflection_line(strings["lemma"], cell["form"], cell["tag"]) + "\n"
                    for cell in paradigm
                )
            }
            for strings, paradigm in zip(asked, paradigms, strict=True)
        ]

    def _paradigms(self, instances: List[Instance]) -> List[List[JsonDict]]:
        asked = [strings_of(instance) for instance in instances]
        tags = [self._cells_of(MorphTag.parse(strings["tag"])) for strings in asked]
        found, confidences = self._found(
            [
                self._reader.text_to_instance(strings["lemma"], tag)
                for strings, of_paradigm in zip(asked, tags, strict=True)
                for tag in of_paradigm
            ]
        )
        best = iter([(*forms[0], sure[0]) for forms, sure in zip(found, confidences, strict=True)])
        return [[self._cell(tag, *next(best)) for tag in of_paradigm] for of_paradigm in tags]

    def _cell(self, tag: MorphTag, form: str, log_prob: float, confidence: float) -> JsonDict:
        cell = {"tag": str(tag), "form": form, "log_prob": log_prob, "confidence": confidence}
        return {**cell, "attested": form in self._words} if self._words else cell

    def _cells_of(self, asked: MorphTag) -> List[MorphTag]:
        any_pos = asked.pos == NO_POS and asked.features
        return [
            tag
            for tag in self._tags
            if (any_pos or tag.pos == asked.pos) and asked.features <= tag.features
        ]

    def _no_cells(self, asked: str) -> DataError:
        known = ", ".join(sorted({tag.pos for tag in self._tags}))
        return DataError(
            f"No tag of the labelled data has all of {asked}.{self._in_other_case(asked.split(';'))}",
            remedy=f"leave out features, or ask for another part of speech ({known}); `--predictor inflect` "
            "answers for any tag.",
        )
