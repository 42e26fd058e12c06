"""Whole tags as lists of their parts, for a multi-hot embedding (paper, Appendix A)."""

from typing import List

from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Token, TokenIndexer
from allennlp.data.token_indexers import TokenCharactersIndexer
from allennlp.data.tokenizers import CharacterTokenizer

from allennlp_svae.data.tag import MorphTag

BOUNDARIES = frozenset((START_SYMBOL, END_SYMBOL))


class TagPartsTokenizer(CharacterTokenizer):
    """
    Splits the text of a tag into its part of speech and its features; a boundary symbol is its own
    part.
    """

    def tokenize(self, text: str) -> List[Token]:
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
    token_min_padding_length : `int`, optional (default = `0`)
        See `TokenIndexer`.
    """

    def __init__(self, namespace: str = "tag_parts", token_min_padding_length: int = 0) -> None:
        super().__init__(
            namespace,
            TagPartsTokenizer(),
            min_padding_length=1,
            token_min_padding_length=token_min_padding_length,
        )
