"""What the predictors that take sentences share: where sentences come from, and CoNLL-U going out."""

from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence

from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model

from allennlp_svae.data.conllu_format import (
    SentenceBlock,
    annotate,
    format_sentence,
    to_raw_sentence,
)
from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.data.treebank import resolve, sentence_blocks
from allennlp_svae.dataset_readers.treebank_reader import TreebankReader
from allennlp_svae.models.parts import part_of, reader_of
from allennlp_svae.predictors.json_lines import JsonLinesPredictor, shown

CONLLU = "conllu"


class BlockInstance(Instance):
    """A sentence's instance that remembers the rows it was read from: its annotation goes there."""

    def __init__(self, fields: Mapping[str, Any], block: SentenceBlock) -> None:
        super().__init__(fields)
        self.block = block


# Words come again and again: the frequent ones of a large text, at half a kilobyte each.
REMEMBERED = 100_000


class RawSentencesReader(DatasetReader):
    """Reads CoNLL-U or text for annotation; whatever annotation is there is not looked at."""

    def __init__(self, reader: TreebankReader) -> None:
        super().__init__(manual_distributed_sharding=True, manual_multiprocess_sharding=True)
        self.reader = reader

    def _read(self, file_path: str) -> Iterator[Instance]:
        source = resolve(file_path)
        if source.is_conllu:
            of_portion = (self.reader.labeled_tokens, self.reader.held_out)
            for block in self.shard_iterable(sentence_blocks(file_path, *of_portion)):
                instance = self.reader.text_to_instance(to_raw_sentence(block))
                yield BlockInstance(instance.fields, block)
        else:
            path = file_path if source.portion else f"{file_path}#raw"
            for sentence in self.shard_iterable(self.reader.sentences(path)):
                yield self.reader.text_to_instance(sentence.without_annotation())

    def apply_token_indexers(self, instance: Instance) -> None:
        self.reader.apply_token_indexers(instance)


class SentencePredictor(JsonLinesPredictor):
    """
    Base of the predictors that annotate sentences. A JSON line holds `{"forms": ["my", "wugs"]}` or
    `{"sentence": "my wugs"}` (words separated by spaces); with `--use-dataset-reader` the input is
    a CoNLL-U file, whose comments, multiword ranges, empty nodes and other columns are kept, or a
    text file with one sentence a line. The output is CoNLL-U.
    """

    example = '{"sentence": "my wugs"}'
    keys = frozenset(("forms", "sentence"))
    other_input = "a CoNLL-U or text file"

    def __init__(self, model: Model, dataset_reader: DatasetReader, **kwargs: Any) -> None:
        reader = reader_of(dataset_reader, "tagger_lemmatizer")
        super().__init__(model, RawSentencesReader(reader), **kwargs)
        self.network = part_of(model, "tagger_lemmatizer")
        self.network.remember(REMEMBERED)
        self.reader: TreebankReader = reader
        self.tagset: str = reader.tagset

    def conllu_of(self, instances: Sequence[Instance]) -> List[str]:
        """One CoNLL-U text an instance."""
        raise NotImplementedError

    def formatted(
        self,
        instance: Instance,
        sentence: Sentence,
        misc: Optional[Sequence[Dict[str, str]]] = None,
        comments: Iterable[str] = (),
    ) -> str:
        """The annotated sentence, in the rows that its instance was read from if there are any."""
        if isinstance(instance, BlockInstance):
            text = annotate(instance.block, sentence, self.tagset, misc).serialize()
        else:
            text = format_sentence(sentence, self.tagset, misc)
        return "".join(f"# {comment}\n" for comment in comments) + text

    def _json_to_instance(self, json_dict: JsonDict) -> Instance:
        forms = json_dict.get("forms")
        if forms is None and isinstance(json_dict.get("sentence"), str):
            forms = json_dict["sentence"].split()
        elif "sentence" in json_dict:
            forms = None
        if not isinstance(forms, list) or not forms or not all(map(_is_form, forms)):
            raise DataError(
                f"The input {shown(json_dict)} is not a sentence of one word or more: a list of strings or a string.",
                remedy='write {"forms": ["my", "wugs"]} or {"sentence": "my wugs"}.',
            )
        return self.reader.text_to_instance(Sentence(tuple(Token(form) for form in forms)))

    def predict_json(self, inputs: JsonDict) -> JsonDict:
        return self.predict_batch_json([inputs])[0]

    def predict_batch_json(self, inputs: List[JsonDict]) -> List[JsonDict]:
        return self.predict_batch_instance([self._json_to_instance(each) for each in inputs])

    def predict_instance(self, instance: Instance) -> JsonDict:
        return self.predict_batch_instance([instance])[0]

    def predict_batch_instance(self, instances: List[Instance]) -> List[JsonDict]:
        return [{CONLLU: text} for text in self.conllu_of(instances)]

    def dump_line(self, outputs: JsonDict) -> str:
        return outputs[CONLLU]


def _is_form(form: Any) -> bool:
    return isinstance(form, str) and bool(form.strip()) and not set(form) & set("\t\n\r\0")
