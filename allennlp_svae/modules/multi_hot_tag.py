"""
Multi-hot embedding of morphological tags, in and out (paper, section 4.2 (1), Appendix A):

    e(m) = Σ_{a ∈ parts(m)} e(a)        parts(m): the part of speech and each feature of m
    p(m | h) = softmax_m(e'(m) · h + b_m)

A tag never seen in training still has an embedding where its parts were seen.
"""

import math

import torch
from allennlp.common.util import START_SYMBOL
from allennlp.data import Token, Vocabulary
from allennlp.modules.seq2vec_encoders import BagOfEmbeddingsEncoder
from allennlp.modules.token_embedders import Embedding, TokenCharactersEncoder

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.inflections import TAG_PARTS
from allennlp_svae.dataset_readers.tag_parts_indexer import TagPartsIndexer
from allennlp_svae.modules.tag_inventory import TagInventory


def multi_hot_embedder(vocab: Vocabulary, embedding_dim: int) -> TokenCharactersEncoder:
    """
    e: part ids of shape (batch_size, num_tags, num_parts), padded with 0, to (batch_size, num_tags,
    embedding_dim).
    """
    return TokenCharactersEncoder(
        Embedding(embedding_dim=embedding_dim, vocab_namespace=TAG_PARTS, vocab=vocab),
        BagOfEmbeddingsEncoder(embedding_dim, averaged=False),
    )


def part_ids_of(inventory: TagInventory, vocab: Vocabulary) -> torch.Tensor:
    """
    What `TagPartsIndexer` makes of each tag of an inventory; shape (num_tags, most parts of a tag).
    """
    indexer = TagPartsIndexer()
    indexed = indexer.tokens_to_indices([Token(str(tag)) for tag in inventory.tags], vocab)
    padding = indexer.get_padding_lengths(indexed)
    return indexer.as_padded_tensor_dict(indexed, padding)["token_characters"]


class TagSoftmax(torch.nn.Module):
    """
    The distribution over the whole tags of a vocabulary and END. START is never predicted; padding
    and unknown are not in the inventory.

    # Parameters

    inventory : `TagInventory`
        With specials.
    vocab : `Vocabulary`
    embedder : `TokenCharactersEncoder`
        e': made by `multi_hot_embedder`.
    """

    def __init__(
        self, inventory: TagInventory, vocab: Vocabulary, embedder: TokenCharactersEncoder
    ) -> None:
        super().__init__()
        self.embedder = embedder
        self.bias = torch.nn.Parameter(torch.zeros(len(inventory)))
        # Both follow from the vocabulary, so neither belongs in a checkpoint.
        self.register_buffer("_part_ids", part_ids_of(inventory, vocab), persistent=False)
        never = torch.zeros(len(inventory), dtype=torch.bool)
        never[inventory.index_of(MorphTag(START_SYMBOL))] = True
        self.register_buffer("_never", never, persistent=False)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """
        Logits of shape (..., num_tags), in the order of the inventory, for `hidden` of shape (...,
        embedding_dim).
        """
        # Shape: (num_tags, embedding_dim)
        tags = self.embedder(self._part_ids.unsqueeze(0)).squeeze(0)
        logits = torch.nn.functional.linear(hidden, tags, self.bias)
        return logits.masked_fill(self._never, -math.inf)
