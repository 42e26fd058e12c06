"""A linear map of sparse binary features: the sum of the rows of those that fire."""

from typing import Optional

import torch
from torch.nn import functional


class SparseLinear(torch.nn.Module):
    """
    Scores bags of features; weights start at zero. Its gradient is sparse: one row for each distinct
    feature of a batch, so that an update costs what the batch holds and not what the vocabulary does.

    # Parameters

    num_features : `int`
        Feature 0 is padding and scores nothing.
    num_outputs : `int`
    """

    def __init__(self, num_features: int, num_outputs: int) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(num_features, num_outputs))

    def forward(
        self, features: torch.LongTensor, offsets: Optional[torch.LongTensor] = None
    ) -> torch.Tensor:
        """
        # Parameters

        features : `torch.LongTensor`
            Shape (num_bags, bag_size), or all bags one after another, shape (num_occurrences,).
        offsets : `torch.LongTensor`, optional (default = `None`)
            Where each bag begins, in the second case; shape (num_bags,).

        # Returns

        Shape (num_bags, num_outputs).
        """
        if torch.is_grad_enabled():
            # Row 0 of the rows at hand must be padding's whether or not padding occurs.
            with_padding = torch.cat([features.new_zeros(1), features.flatten()])
            distinct, inverse = with_padding.unique(return_inverse=True)
            rows = functional.embedding(distinct, self.weight, sparse=True)
            features = inverse[1:].view_as(features)
        else:
            rows = self.weight
        return functional.embedding_bag(features, rows, offsets, mode="sum", padding_idx=0)
