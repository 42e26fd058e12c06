"""The score w · φ(f, n) of a word in its sentence: sparse features, and what raw text tells of the word."""

from typing import Optional

import torch

from allennlp_svae.data.word_features import ENDING_LENGTHS
from allennlp_svae.modules.sparse_linear import SparseLinear
from allennlp_svae.modules.word_statistics import WordStatistics
from allennlp_svae.modules.word_vectors import WordVectors


class WordScorer(torch.nn.Module):
    """
    # Parameters

    num_features : `int`
        Of the vocabulary; 0 is padding.
    num_outputs : `int`
    statistics : `WordStatistics`, optional (default = `None`)
        Further sparse features, after those of the vocabulary.
    vectors, ending_vectors : `WordVectors`, optional (default = `None`)
        Dense features, of words and of their endings.
    """

    def __init__(
        self,
        num_features: int,
        num_outputs: int,
        statistics: Optional[WordStatistics] = None,
        vectors: Optional[WordVectors] = None,
        ending_vectors: Optional[WordVectors] = None,
    ) -> None:
        super().__init__()
        self._first_statistic = num_features
        if statistics is not None:
            num_features += statistics.num_word_features
        self.statistics = statistics
        self.sparse = SparseLinear(num_features, num_outputs)
        self.vectors = vectors
        if vectors is not None:
            self.dense = _from_zero(vectors.output_dim, num_outputs)
        self.ending_vectors = ending_vectors
        if ending_vectors is not None:
            num_inputs = len(ENDING_LENGTHS) * ending_vectors.output_dim
            self.dense_of_endings = _from_zero(num_inputs, num_outputs)

    def forward(
        self, features: torch.LongTensor, words: torch.LongTensor, endings: torch.LongTensor
    ) -> torch.Tensor:
        """
        # Parameters

        features : `torch.LongTensor`
            Shape (batch_size, num_tokens, num_features).
        words : `torch.LongTensor`
            Shape (batch_size, num_tokens).
        endings : `torch.LongTensor`
            Shape (batch_size, num_tokens, num_endings).

        # Returns

        Shape (batch_size, num_tokens, num_outputs).
        """
        if self.statistics is not None:
            of_words = self._first_statistic + self.statistics.of_words(words)
            features = torch.cat([features, of_words], dim=-1)
        scores = self.sparse(features.flatten(0, 1)).view(*words.shape, -1)
        if self.vectors is not None:
            scores = scores + self.dense(self.vectors(words))
        if self.ending_vectors is not None:
            scores = scores + self.dense_of_endings(self.ending_vectors(endings).flatten(-2))
        return scores


def _from_zero(num_inputs: int, num_outputs: int) -> torch.nn.Linear:
    linear = torch.nn.Linear(num_inputs, num_outputs, bias=False)
    torch.nn.init.zeros_(linear.weight)
    return linear
