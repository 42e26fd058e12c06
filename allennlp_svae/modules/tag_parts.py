"""The parts of tags, embedded."""

from typing import Tuple

import torch
from allennlp.data import TextFieldTensors, Vocabulary
from allennlp.modules import TextFieldEmbedder
from allennlp.nn.util import get_text_field_mask, get_token_ids_from_text_field_tensors

from allennlp_svae.dataset_readers.inflections import TAG_PARTS


def unknown_part(vocab: Vocabulary) -> int:
    """The id of all parts that the vocabulary does not have."""
    return vocab.get_token_index(vocab._oov_token, TAG_PARTS)


def embedded_parts(
    embedder: TextFieldEmbedder, tag: TextFieldTensors, unknown: int
) -> Tuple[torch.Tensor, torch.Tensor]:
    """
    A tag is the set of its parts: what is unknown or padding is none of them.

    # Parameters

    embedder : `TextFieldEmbedder`
    tag : `TextFieldTensors`
        Ids of shape (batch_size, num_parts).
    unknown : `int`
        See `unknown_part`.

    # Returns

    `Tuple[torch.Tensor, torch.BoolTensor]`
        The embedded parts, zero where there is none, shape (batch_size, num_parts, dim); and where there is one, shape
        (batch_size, num_parts).
    """
    mask = get_text_field_mask(tag) & (get_token_ids_from_text_field_tensors(tag) != unknown)
    return embedder(tag) * mask.unsqueeze(-1), mask
