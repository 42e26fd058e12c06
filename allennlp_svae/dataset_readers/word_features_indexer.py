"""Words as sets of sparse features that a reader has extracted once."""

from typing import Dict, List, Optional, Sequence

import numpy
import torch
from allennlp.data import Token, TokenIndexer, Vocabulary
from allennlp.data.token_indexers.token_indexer import IndexedTokenList

from allennlp_svae.data.word_features import ENDING_LENGTHS, endings, fold

# The namespaces of the vocabulary: of a word's features, of those of words with lemmas, of trees from words to lemmas,
WORD_FEATURES = "word_features"
LEMMA_FEATURES = "lemma_features"
EDIT_TREES = "edit_trees"
# of the words of labelled and raw text, case folded,
WORDS = "words"
# and of the endings of the raw text's words.
ENDINGS = "endings"


class FeaturedToken(Token):
    """
    A word with all that is to be known of it before there is a vocabulary.

    # Parameters

    text : `str`
        The form.
    word_features : `Sequence[str]`
        Of the word in its sentence, see `allennlp_svae.data.word_features`.
    edit_tree : `str`, optional (default = `None`)
        From the form to its lemma, where that is known.
    lemma_features : `Sequence[str]`, optional (default = empty)
        Of the form with its lemma, see `allennlp_svae.data.lemma_features`.
    """

    __slots__ = ["edit_tree", "lemma_features", "word_features"]

    def __init__(
        self,
        text: str,
        word_features: Sequence[str],
        edit_tree: Optional[str] = None,
        lemma_features: Sequence[str] = (),
    ) -> None:
        super().__init__(text)
        self.word_features = word_features
        self.edit_tree = edit_tree
        self.lemma_features = lemma_features


@TokenIndexer.register("word_features")
class WordFeaturesIndexer(TokenIndexer):
    """
    Turns `FeaturedToken`s into the ids of those of their features that the vocabulary knows, padded
    with zeros: `features`, shape (num_tokens, num_features); into ids of words, case folded: `words`, shape
    (num_tokens,); of their endings: `endings`, shape (num_tokens, num_endings); and `mask`, shape (num_tokens,).

    It also counts what lemma candidates are made of: `edit_trees` and `lemma_features`.
    """

    def count_vocab_items(self, token: Token, counter: Dict[str, Dict[str, int]]) -> None:
        assert isinstance(token, FeaturedToken)
        counter[WORDS][fold(token.text)] += 1
        for feature in token.word_features:
            counter[WORD_FEATURES][feature] += 1
        for feature in token.lemma_features:
            counter[LEMMA_FEATURES][feature] += 1
        if token.edit_tree is not None:
            counter[EDIT_TREES][token.edit_tree] += 1

    def tokens_to_indices(self, tokens: List[Token], vocabulary: Vocabulary) -> IndexedTokenList:
        ids = vocabulary.get_token_to_index_vocabulary(WORD_FEATURES)
        features, words, of_words = [], [], []
        for token in tokens:
            assert isinstance(token, FeaturedToken)
            features.append([ids[feature] for feature in token.word_features if feature in ids])
            word = fold(token.text)
            words.append(vocabulary.get_token_index(word, WORDS))
            of_words.append(
                [vocabulary.get_token_index(ending, ENDINGS) for ending in endings(word)]
            )
        mask = [True] * len(tokens)
        return {"features": features, "words": words, "endings": of_words, "mask": mask}

    def get_empty_token_list(self) -> IndexedTokenList:
        return {"features": [], "words": [], "endings": [], "mask": []}

    def get_padding_lengths(self, indexed_tokens: IndexedTokenList) -> Dict[str, int]:
        features = indexed_tokens["features"]
        return {"mask": len(features), "features": max(map(len, features), default=0)}

    def as_padded_tensor_dict(
        self, tokens: IndexedTokenList, padding_lengths: Dict[str, int]
    ) -> Dict[str, torch.Tensor]:
        ids = numpy.zeros((padding_lengths["mask"], padding_lengths["features"]), dtype=numpy.int64)
        for row, features in zip(ids, tokens["features"], strict=False):
            row[: len(features)] = features
        words = numpy.zeros(padding_lengths["mask"], dtype=numpy.int64)
        words[: len(tokens["words"])] = tokens["words"]
        of_words = numpy.zeros((padding_lengths["mask"], len(ENDING_LENGTHS)), dtype=numpy.int64)
        of_words[: len(tokens["endings"])] = tokens["endings"] or 0
        mask = numpy.zeros(padding_lengths["mask"], dtype=bool)
        mask[: len(tokens["mask"])] = True
        padded = {"features": ids, "words": words, "endings": of_words, "mask": mask}
        return {name: torch.from_numpy(values) for name, values in padded.items()}
