"""What `WordFeaturesIndexer` makes of words as dense vectors: sums over their sparse features."""

import torch
from allennlp.data import Vocabulary
from allennlp.modules import TokenEmbedder

from allennlp_svae.modules.sparse_linear import SparseLinear


@TokenEmbedder.register("word_features")
class WordFeaturesEmbedder(TokenEmbedder):
    """
    Embeddings start at zero: what does not occur in training tells nothing. Their gradient is sparse, which not every
    optimizer takes.

    # Parameters

    vocab : `Vocabulary`
    embedding_dim : `int`
    feature_dropout : `float`, optional (default = `0.0`)
        How many of a word's features are left out in training, so that others of them (a suffix for the word
        itself) are learned too.
    namespace : `str`, optional (default = `"word_features"`)
    """

    def __init__(
        self,
        vocab: Vocabulary,
        embedding_dim: int,
        feature_dropout: float = 0.0,
        namespace: str = "word_features",
    ) -> None:
        super().__init__()
        self.linear = SparseLinear(vocab.get_vocab_size(namespace), embedding_dim)
        self.feature_dropout = feature_dropout

    def get_output_dim(self) -> int:
        return self.linear.weight.size(1)

    def forward(
        self,
        features: torch.LongTensor,
        words: torch.LongTensor,
        endings: torch.LongTensor,
        mask: torch.BoolTensor,
    ) -> torch.Tensor:
        """
        # Parameters

        features : `torch.LongTensor`
            Ids, padded with 0; shape (batch_size, num_tokens, num_features).
        words, endings, mask : `torch.Tensor`
            Not used.

        # Returns

        Shape (batch_size, num_tokens, embedding_dim).
        """
        if self.training and self.feature_dropout > 0.0:
            is_left_out = torch.rand(features.shape, device=features.device) < self.feature_dropout
            features = features.masked_fill(is_left_out, 0)
        return self.linear(features.flatten(0, 1)).view(*features.shape[:2], -1)
