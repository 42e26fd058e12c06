"""
What a model's tables of words start from and keep: statistics of the raw text that the vocabulary was made of.

As `initializer`s, since AllenNLP leaves those out where it loads an archive: there the tables are among the weights.
"""

from typing import Any, List

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.nn import Initializer

from allennlp_svae.data.neighbor_vectors import neighbor_vectors
from allennlp_svae.data.word_features import ENDING_LENGTHS
from allennlp_svae.dataset_readers.word_features_indexer import ENDINGS, WORDS
from allennlp_svae.training.vocabulary import TreebankVocabulary


class _FromRawText(Initializer):
    """
    Fills in the rows of what the raw text has and sets the others to zero.

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
            A row a token of the vocabulary's namespace; shape (num_tokens, dim).
        """
        with torch.no_grad():
            tensor.zero_()
            self._fill(tensor)

    def _fill(self, tensor: torch.Tensor) -> None:
        raise NotImplementedError

    def _fill_rows(
        self, tensor: torch.Tensor, namespace: str, tokens: List[str], values: numpy.ndarray
    ) -> None:
        """The rows of those tokens that the vocabulary has."""
        ids = self._vocab.get_token_to_index_vocabulary(namespace)
        known = [place for place, token in enumerate(tokens) if token in ids]
        rows = [ids[tokens[place]] for place in known]
        tensor[rows] = torch.from_numpy(values[known]).to(tensor)


@Initializer.register("word_counts")
class WordCounts(_FromRawText):
    """How often a word occurs in each casing, see `RawText.counts`."""

    def _fill(self, tensor: torch.Tensor) -> None:
        self._fill_rows(tensor, WORDS, self._text.words, self._text.counts)


@Initializer.register("neighbor_vectors")
class NeighborVectors(_FromRawText):
    """Vectors from the words beside a word, see `neighbor_vectors`."""

    def _fill(self, tensor: torch.Tensor) -> None:
        vectors = neighbor_vectors(self._text, tensor.size(1))
        self._fill_rows(tensor, WORDS, self._text.words, vectors)


@Initializer.register("ending_vectors")
class EndingVectors(_FromRawText):
    """Vectors of endings from the endings beside them, of the same length; see `endings` and `neighbor_vectors`."""

    def _fill(self, tensor: torch.Tensor) -> None:
        for place in range(len(ENDING_LENGTHS)):
            text = self._text.of_endings(place)
            vectors = neighbor_vectors(text, tensor.size(1))
            self._fill_rows(tensor, ENDINGS, text.words, vectors)
