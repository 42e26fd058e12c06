"""
Distinct inflections ⟨f, ℓ, m⟩ with their counts: what p(f | ℓ, m) learns from (paper, sections 4.2
(3) and 7.2).
"""

from functools import lru_cache
from typing import Any, Dict, Iterable, Iterator, List, Optional

from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import DatasetReader, Field, Instance
from allennlp.data.fields import MetadataField, TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer
from allennlp.data.tokenizers import Token as TextToken

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.treebank import resolve
from allennlp_svae.data.unimorph_tsv import Inflection, read_inflections
from allennlp_svae.dataset_readers.symbols_field import SymbolsField
from allennlp_svae.dataset_readers.treebank_reader import (
    TreebankReader,
    weight_field,
    weighted_by_count,
)

CHARACTERS = "characters"
TAG_PARTS = "tag_parts"
LEMMAS = "lemmas"
MORPHOLOGY = "morphology"
ATTESTED = "attested_forms"
CAPITALIZED = "capitalized_words"


class InflectionField(MetadataField):
    """
    The strings of an inflection, `{"lemma", "tag", "form"}`, as they were read. They enter the
    vocabulary whole, under `lemmas` and `morphology`, so that a metric can tell seen from unseen.
    """

    __slots__: List[str] = []

    def count_vocab_items(self, counter: Dict[str, Dict[str, int]]) -> None:
        counter[LEMMAS][self.metadata["lemma"]] += 1
        counter[MORPHOLOGY][self.metadata["tag"]] += 1

    def __str__(self) -> str:
        return f"InflectionField {self.metadata}"


@DatasetReader.register("inflections")
class InflectionsReader(TreebankReader):
    """
    Yields each distinct triple of a treebank once, weighted by its count: the same objective as
    token by token for a fraction of the work.

    # Fields

    lemma : `TextField`
        The characters between START and END.
    tag : `TextField`
        One token a part: the part of speech, then the features.
    form : `TextField`
        The characters between START and END; absent where the form is unknown.
    weight : `TensorField`
        A scalar, count^`count_power`, with mean one over the file.
    metadata : `MetadataField`
        `{"lemma": str, "tag": str, "form": Optional[str]}`.

    # Parameters

    count_power : `float`, optional (default = `1.0`)
        1 is the likelihood of the tokens, 0 that of the types.
    tagset, labeled_tokens, held_out
        See `TreebankReader`.

    # Attributes

    allow_missing_form : `bool`
        Whether a UniMorph file (`.tsv`) may lack forms; set for prediction.
    """

    def __init__(
        self,
        count_power: float = 1.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.count_power = count_power
        self.allow_missing_form = False
        self._characters = {CHARACTERS: SingleIdTokenIndexer(namespace=CHARACTERS)}
        self._tag_parts = {TAG_PARTS: SingleIdTokenIndexer(namespace=TAG_PARTS)}

    def _read(self, file_path: str) -> Iterable[Instance]:
        inflections = self._inflections(file_path)
        for (lemma, form, tag), weight in weighted_by_count(inflections, self.count_power):
            yield self._instance(lemma, tag, form, weight)

    def _inflections(self, file_path: str) -> Iterator[Inflection]:
        source = resolve(file_path)
        if source.is_unimorph:
            yield from read_inflections(source.file, self.allow_missing_form)
            return
        for form, lemma, tag in self.triples(file_path):
            yield Inflection(lemma, form, tag)

    def text_to_instance(
        self, lemma: str, tag: MorphTag, form: Optional[str] = None, weight: float = 1.0
    ) -> Instance:
        instance = self._instance(lemma, tag, form, weight)
        self.apply_token_indexers(instance)
        return instance

    def _instance(self, lemma: str, tag: MorphTag, form: Optional[str], weight: float) -> Instance:
        fields: Dict[str, Field] = {
            "lemma": _character_field(lemma),
            "tag": SymbolsField([*map(_token, tag.parts)]),
        }
        if form is not None:
            fields["form"] = _character_field(form)
        fields["weight"] = weight_field(weight)
        fields["metadata"] = InflectionField({"lemma": lemma, "tag": str(tag), "form": form})
        return Instance(fields)

    def apply_token_indexers(self, instance: Instance) -> None:
        for name, indexers in (
            ("lemma", self._characters),
            ("tag", self._tag_parts),
            ("form", self._characters),
        ):
            if name in instance.fields:
                field = instance[name]
                assert isinstance(field, TextField)
                field.token_indexers = indexers


def strings_of(instance: Instance) -> Dict[str, Any]:
    """`{"lemma", "tag", "form"}` of an inflection."""
    field = instance["metadata"]
    assert isinstance(field, MetadataField)
    return dict(field.metadata)


def with_form(instance: Instance, form: str) -> Instance:
    """The inflection of the same lemma and tag with this form."""
    characters = instance["lemma"]
    assert isinstance(characters, TextField)
    field = _character_field(form)
    # The form is indexed as the lemma is.
    field.token_indexers = characters._token_indexers
    return Instance(
        {
            **{name: instance[name] for name in ("lemma", "tag", "weight")},
            "form": field,
            "metadata": InflectionField({**strings_of(instance), "form": form}),
        }
    )


def without_form(instance: Instance) -> Instance:
    """What is asked for a form: a batch cannot hold instances with and without."""
    return Instance({name: instance[name] for name in ("lemma", "tag", "metadata")})


def _character_field(text: str) -> SymbolsField:
    return SymbolsField([*map(_token, (START_SYMBOL, *text, END_SYMBOL))])


@lru_cache(maxsize=100_000)
def _token(symbol: str) -> TextToken:
    """One for all of a symbol: nothing changes it."""
    return TextToken(symbol)
