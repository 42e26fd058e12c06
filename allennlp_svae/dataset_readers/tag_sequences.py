"""Tag sequences m: what the tag language model p(m) learns from (paper, section 4.2 (1))."""

import logging
from typing import Any, Dict, Iterable, List, Optional, Sequence

from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import DatasetReader, Instance, Token, TokenIndexer
from allennlp.data.fields import TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.tag_parts_indexer import UNTAGGED, TagPartsIndexer
from allennlp_svae.dataset_readers.treebank_reader import (
    TreebankReader,
    nothing_annotated,
    weight_field,
)

logger = logging.getLogger(__name__)


@DatasetReader.register("tag_sequences")
class TagSequencesReader(TreebankReader):
    """
    Yields one instance a sentence in which any token has a tag; other sentences are skipped and
    counted in the log.

    Fields: `tags`, the whole tags between START and END, `UNTAGGED` where there is none, and `weight`.

    # Parameters

    token_indexers : `Dict[str, TokenIndexer]`, optional
        By default `morphology`, a `SingleIdTokenIndexer("morphology")`, and `parts`, a
        `TagPartsIndexer("tag_parts")`: what `tag_lm` reads.
    tagset, labeled_tokens, held_out
        See `TreebankReader`.
    """

    def __init__(
        self,
        token_indexers: Optional[Dict[str, TokenIndexer]] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._token_indexers = token_indexers or {
            "morphology": SingleIdTokenIndexer("morphology"),
            "parts": TagPartsIndexer("tag_parts"),
        }

    def _read(self, file_path: str) -> Iterable[Instance]:
        read = skipped = 0
        for sentence in self.sentences(file_path):
            tags = [token.tag for token in sentence.tokens]
            if any(tag is not None for tag in tags):
                read += 1
                yield self._instance(tags, 1.0)
            else:
                skipped += 1
        if skipped:
            logger.info("%s: skipped %d sentences without any tag", file_path, skipped)
        if not read:
            raise nothing_annotated("no word has a tag", file_path)

    def text_to_instance(self, tags: Sequence[MorphTag], weight: float = 1.0) -> Instance:
        """
        # Parameters

        tags : `Sequence[MorphTag]`
            The tags of one sentence.
        weight : `float`, optional (default = `1.0`)
            The weight of the sentence in the objective.
        """
        instance = self._instance(tags, weight)
        self.apply_token_indexers(instance)
        return instance

    def apply_token_indexers(self, instance: Instance) -> None:
        instance["tags"].token_indexers = self._token_indexers

    def _instance(self, tags: Sequence[Optional[MorphTag]], weight: float) -> Instance:
        known = (UNTAGGED if tag is None else str(tag) for tag in tags)
        tokens: List[str] = [START_SYMBOL, *known, END_SYMBOL]
        return Instance(
            {"tags": TextField([Token(token) for token in tokens]), "weight": weight_field(weight)}
        )
