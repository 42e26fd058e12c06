"""The score w · φ(f, n) of a word in its sentence: sparse features, and what raw text tells of the word."""

from typing import Optional

import torch

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
    vectors : `WordVectors`, optional (default = `None`)
        Dense features.
    """

    def __init__(
        self,
        num_features: int,
        num_outputs: int,
        statistics: Optional[WordStatistics] = None,
        vectors: Optional[WordVectors] = None,
    ) -> None:
        super().__init__()
        self._first_statistic = num_features
        if statistics is not None:
            num_features += statistics.num_word_features
        self.statistics = statistics
        self.sparse = SparseLinear(num_features, num_outputs)
        self.vectors = vectors
        if vectors is not None:
            self.dense = torch.nn.Linear(vectors.output_dim, num_outputs, bias=False)
            torch.nn.init.zeros_(self.dense.weight)

    def forward(self, features: torch.LongTensor, words: torch.LongTensor) -> torch.Tensor:
        """
        # Parameters

        features : `torch.LongTensor`
            Shape (batch_size, num_tokens, num_features).
        words : `torch.LongTensor`
            Shape (batch_size, num_tokens).

        # Returns

        Shape (batch_size, num_tokens, num_outputs).
        """
        if self.statistics is not None:
            of_words = self._first_statistic + self.statistics.of_words(words)
            features = torch.cat([features, of_words], dim=-1)
        scores = self.sparse(features.flatten(0, 1)).view(*words.shape, -1)
        return scores if self.vectors is None else scores + self.dense(self.vectors(words))
