"""Sequences put together: padded ones, and groups one after another."""

from typing import Tuple

import torch


def concatenate_sequences(
    first: torch.Tensor,
    first_mask: torch.Tensor,
    second: torch.Tensor,
    second_mask: torch.Tensor,
) -> Tuple[torch.Tensor, torch.Tensor]:
    """
    Each row's first sequence followed by its second, with the padding of both moved to the end.

    # Parameters

    first, second : `torch.Tensor`
        Shapes `(batch_size, first_length, dim)` and `(batch_size, second_length, dim)`.
    first_mask, second_mask : `torch.BoolTensor`
        Shapes `(batch_size, first_length)` and `(batch_size, second_length)`.

    # Returns

    `Tuple[torch.Tensor, torch.BoolTensor]`
        Shapes `(batch_size, length, dim)` and `(batch_size, length)`; `length` is that of the
        longest row.
    """
    # shape: (batch_size, first_length + second_length)
    mask = torch.cat([first_mask, second_mask], dim=1)
    length = int(mask.sum(dim=1).max())
    # Sorting stably by "is padding" leaves the order of the rest alone.
    order = torch.argsort(~mask, dim=1, stable=True)[:, :length]
    both = torch.cat([first, second], dim=1)
    packed = both.gather(1, order.unsqueeze(-1).expand(-1, -1, both.size(-1)))
    return packed, mask.gather(1, order)


def ranks(counts: torch.LongTensor) -> torch.LongTensor:
    """
    From 0 on within each of groups that come one after another.

    # Parameters

    counts : `torch.LongTensor`
        How many each group has; shape (num_groups,).

    # Returns

    Shape (sum of counts,).
    """
    starts = torch.repeat_interleave(counts.cumsum(0) - counts, counts)
    return torch.arange(len(starts), device=counts.device) - starts
