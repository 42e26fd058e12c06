"""
What a model's tables of words start from and keep: statistics of the raw text that the vocabulary was made of.

As `initializer`s, since AllenNLP leaves those out where it loads an archive: there the tables are among the weights.
"""

from typing import Any

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.nn import Initializer

from allennlp_svae.data.neighbor_vectors import neighbor_vectors
from allennlp_svae.data.raw_text import RawText
from allennlp_svae.dataset_readers.word_features_indexer import WORDS
from allennlp_svae.training.vocabulary import TreebankVocabulary


class _FromRawText(Initializer):
    """
    Fills in the rows of the words that the raw text has and sets the others to zero.

    # Parameters

    vocab : `Vocabulary`
        A `TreebankVocabulary`.

    # Raises

    `ConfigurationError` where the vocabulary was made of no text.
    """

    def __init__(self, vocab: Vocabulary) -> None:
        text = vocab.raw_text if isinstance(vocab, TreebankVocabulary) else None
        if text is None:
            raise ConfigurationError(
                "Statistics of raw text are to be learned, but the vocabulary was not made of text. Remedy: "
                "set the vocabulary's type to 'treebank' and its `unlabeled` to data paths with text, as "
                "`$.treebank_vocabulary` does."
            )
        self._vocab, self._text = vocab, text

    def __call__(self, tensor: torch.Tensor, **kwargs: Any) -> None:
        """
        # Parameters

        tensor : `torch.Tensor`
            A row a word of the vocabulary; shape (num_words, dim).
        """
        ids = self._vocab.get_token_to_index_vocabulary(WORDS)
        # The vocabulary's `min_count` may leave words out.
        known = [place for place, word in enumerate(self._text.words) if word in ids]
        rows = [ids[self._text.words[place]] for place in known]
        values = self._values(self._text, tensor.size(1))
        with torch.no_grad():
            tensor.zero_()
            tensor[rows] = values[known].to(tensor)

    def _values(self, text: RawText, dim: int) -> torch.Tensor:
        raise NotImplementedError


@Initializer.register("word_counts")
class WordCounts(_FromRawText):
    """How often a word occurs in each casing, see `RawText.counts`."""

    def _values(self, text: RawText, dim: int) -> torch.Tensor:
        return torch.from_numpy(text.counts)


@Initializer.register("neighbor_vectors")
class NeighborVectors(_FromRawText):
    """Vectors from the words beside a word, see `neighbor_vectors`."""

    def _values(self, text: RawText, dim: int) -> torch.Tensor:
        return torch.from_numpy(neighbor_vectors(text, dim))
