"""What predictors that are given a lemma and a tag, and answer with forms, share."""

import json
from typing import Any, FrozenSet, Iterable, Iterator, List, Tuple
from unicodedata import combining

from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.tag import NO_POS, MorphTag
from allennlp_svae.data.treebank import resolve
from allennlp_svae.data.unimorph_tsv import read_inflections
from allennlp_svae.dataset_readers.inflections import (
    CHARACTERS,
    MORPHOLOGY,
    TAG_PARTS,
    InflectionsReader,
)
from allennlp_svae.models.parts import part_of, reader_of
from allennlp_svae.modules.candidates import Candidates
from allennlp_svae.predictors.json_lines import JsonLinesPredictor, shown

# Lines of a UniMorph file, as a key of its own, tell `dump_line` what was asked for.
UNIMORPH = "unimorph"


class QuestionsReader(DatasetReader):
    """
    Each line of a UniMorph file is a question, with a form or without, also where it comes again; of other files each
    distinct inflection is one.
    """

    def __init__(self, reader: InflectionsReader) -> None:
        super().__init__(manual_distributed_sharding=True, manual_multiprocess_sharding=True)
        self.reader = reader

    def _read(self, file_path: str) -> Iterator[Instance]:
        source = resolve(file_path)
        if not source.is_unimorph:
            yield from self.shard_iterable(self.reader.read(file_path))
            return
        lines = read_inflections(source.file, allow_missing_form=True)
        for lemma, form, tag in self.shard_iterable(lines):
            yield self.reader.text_to_instance(lemma, tag, form)

    def apply_token_indexers(self, instance: Instance) -> None:
        self.reader.apply_token_indexers(instance)


class InflectionsPredictor(JsonLinesPredictor):
    """
    A line of input is `{"lemma": …, "tag": …}`; with `--use-dataset-reader` it is one of a file that the `inflections`
    reader reads, and the output is UniMorph. Of what no labelled tag has, the user is warned. Subclasses predict
    batches.

    # Parameters

    model : `Model`
        An `InflectionModel`, or an `svae`, which has one.
    dataset_reader : `DatasetReader`
        The `inflections` reader, or that of an `svae`.
    """

    keys: FrozenSet[str] = frozenset(("lemma", "tag"))
    other_input = "a UniMorph or CoNLL-U file"

    def __init__(self, model: Model, dataset_reader: DatasetReader, **kwargs: Any) -> None:
        reader: InflectionsReader = reader_of(dataset_reader, "inflector")
        super().__init__(model, QuestionsReader(reader), **kwargs)
        self._inflector = part_of(model, "inflector")
        self._reader = reader
        self._known_parts = model.vocab.get_token_to_index_vocabulary(TAG_PARTS)
        self._known_characters = model.vocab.get_token_to_index_vocabulary(CHARACTERS)
        self._known_tags = model.vocab.get_token_to_index_vocabulary(MORPHOLOGY)

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

    def _unknown_parts(self, lemma: str, tag: str) -> List[str]:
        """The parts of a tag that no labelled tag has. The user is warned of them, and of a lemma encoded otherwise."""
        if any(
            combining(character) and character not in self._known_characters for character in lemma
        ):
            self.warn(
                "combining characters",
                f"{lemma!r} has combining characters that no labelled word has. If it looks as it should: Unicode can "
                "write it in two ways, and the archive knows the other (NFC is usual).",
            )
        parts = (part for part in MorphTag.parse(tag).parts if part != NO_POS)
        unknown = [part for part in parts if part not in self._known_parts]
        for part in unknown:
            known = next((known for known in self._known_tags if ";" in known), "N;NOM;SG")
            self.warn(
                f"part {part}",
                f"No labelled tag has {part!r}, of the tag {tag!r}: it is not looked at. The archive's tags are "
                f"written like {known}.{self._in_other_case([part])}",
            )
        return unknown

    def _in_other_case(self, parts: Iterable[str]) -> str:
        """What to say of parts that labelled tags have, but in capitals or without; nothing where there are none."""
        meant = {
            part: known
            for part in parts
            for known in self._known_parts
            if part != known and part.casefold() == known.casefold()
        }
        return "".join(f" For {part!r} it has {known!r}." for part, known in meant.items())

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        """
        # Raises

        `DataError` where a key is missing or a value cannot be used.
        """
        for key in ("lemma", "tag"):
            if not isinstance(json_dict.get(key), str):
                raise DataError(
                    f'The input has no string under "{key}": {shown(json_dict)}.',
                    remedy=f"write {self.example}.",
                )
        if set(json_dict["lemma"]) & set("\t\n\r"):
            raise DataError(
                f"The lemma has a tab or a line break: {shown(json_dict)}.", remedy="leave it out."
            )
        try:
            tag = MorphTag.parse(json_dict["tag"])
        except ValueError as error:
            raise DataError(
                f"{error} The input is {shown(json_dict)}.", remedy=f"write {self.example}."
            ) from error
        return self._reader.text_to_instance(json_dict["lemma"], tag)
