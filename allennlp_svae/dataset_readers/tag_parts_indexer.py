"""Whole tags as lists of their parts, for a multi-hot embedding (paper, Appendix A)."""

from typing import List

from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Token, TokenIndexer
from allennlp.data.token_indexers import TokenCharactersIndexer
from allennlp.data.tokenizers import CharacterTokenizer
from allennlp.data.vocabulary import DEFAULT_OOV_TOKEN

from allennlp_svae.data.tag import MorphTag

BOUNDARIES = frozenset((START_SYMBOL, END_SYMBOL))
# In the place of a tag that nobody knows: what every vocabulary has for what it has not.
UNTAGGED = DEFAULT_OOV_TOKEN


class TagPartsTokenizer(CharacterTokenizer):
    """
    Splits the text of a tag into its part of speech and its features; a boundary symbol is its own
    part, and what has no tag has no parts.
    """

    def tokenize(self, text: str) -> List[Token]:
        if text == UNTAGGED:
            return []
        parts = (text,) if text in BOUNDARIES else MorphTag.parse(text).parts
        return [Token(part) for part in parts]


@TokenIndexer.register("tag_parts")
class TagPartsIndexer(TokenCharactersIndexer):
    """
    Indexes a token that is a whole tag (`N;ACC;SG`) by its parts, where `TokenCharactersIndexer`
    does so by its characters; the embedders made for that indexer therefore serve tags too.

    # Parameters

    namespace : `str`, optional (default = `"tag_parts"`)
        The vocabulary namespace of the parts.
    """

    def __init__(self, namespace: str = "tag_parts") -> None:
        super().__init__(namespace, TagPartsTokenizer(), min_padding_length=1)
