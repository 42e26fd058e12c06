"""Lemmas and parts of speech: what the lemma LM p(ℓ | m) learns from (paper, section 4.2 (2))."""

from typing import Any, Dict, Iterable, Optional

from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import DatasetReader, Instance, Token, TokenIndexer
from allennlp.data.fields import TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer

from allennlp_svae.dataset_readers.labels import OpenLabelField
from allennlp_svae.dataset_readers.treebank_reader import (
    TreebankReader,
    weight_field,
    weighted_by_count,
)


@DatasetReader.register("lemmas")
class LemmasReader(TreebankReader):
    """
    Yields the distinct (lemma, part of speech) pairs of a file, in order of first occurrence, each
    weighted by its count: the objective over tokens at the cost of types. Tokens without lemma or
    tag are left out. The file is read whole before the first instance.

    Fields: `lemma`, the characters between START and END, `pos` and `weight`; weights have mean
    one.

    # Parameters

    count_power : `float`, optional (default = `1.0`)
        A pair seen n times weighs n ** count_power: 1 learns from tokens, 0 from types.
    token_indexers : `Dict[str, TokenIndexer]`, optional
        By default `{"characters": SingleIdTokenIndexer("characters")}`.
    tagset, labeled_tokens, held_out
        See `TreebankReader`.
    """

    def __init__(
        self,
        count_power: float = 1.0,
        token_indexers: Optional[Dict[str, TokenIndexer]] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.count_power = count_power
        self._token_indexers = token_indexers or {"characters": SingleIdTokenIndexer("characters")}

    def _read(self, file_path: str) -> Iterable[Instance]:
        pairs = ((triple.lemma, triple.tag.pos) for triple in self.triples(file_path))
        for (lemma, pos), weight in weighted_by_count(pairs, self.count_power):
            yield self._instance(lemma, pos, weight)

    def text_to_instance(self, lemma: str, pos: str, weight: float = 1.0) -> Instance:
        """
        # Parameters

        lemma : `str`
        pos : `str`
            The part of speech alone, `MorphTag.pos`.
        weight : `float`, optional (default = `1.0`)
            The weight of the pair in the objective.
        """
        instance = self._instance(lemma, pos, weight)
        self.apply_token_indexers(instance)
        return instance

    def apply_token_indexers(self, instance: Instance) -> None:
        instance["lemma"].token_indexers = self._token_indexers

    def _instance(self, lemma: str, pos: str, weight: float) -> Instance:
        characters = [START_SYMBOL, *lemma, END_SYMBOL]
        return Instance(
            {
                "lemma": TextField([Token(character) for character in characters]),
                "pos": OpenLabelField(pos, label_namespace="pos"),
                "weight": weight_field(weight),
            }
        )
