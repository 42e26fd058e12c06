"""Sums of rows, with and without gradient, padded and one after another."""

import torch

from allennlp_svae.modules.sparse_linear import SparseLinear


def filled() -> SparseLinear:
    linear = SparseLinear(6, 3)
    torch.nn.init.normal_(linear.weight, generator=torch.Generator().manual_seed(0))
    return linear


def test_bags_sum_their_rows_without_padding_in_either_layout() -> None:
    linear = filled()
    weight = linear.weight.detach()
    expected = torch.stack([weight[2] + weight[5], weight[3], torch.zeros(3)])
    padded = torch.tensor([[2, 5, 0], [3, 0, 0], [0, 0, 0]])
    flat, offsets = torch.tensor([2, 5, 3]), torch.tensor([0, 2, 3])
    assert torch.allclose(linear(padded), expected)
    assert torch.allclose(linear(flat, offsets), expected)
    with torch.no_grad():
        assert torch.allclose(linear(padded), expected)
        assert torch.allclose(linear(flat, offsets), expected)


def test_the_gradient_is_sparse_and_counts_occurrences() -> None:
    linear = filled()
    linear(torch.tensor([[2, 5], [2, 0]])).sum().backward()
    assert linear.weight.grad.is_sparse
    dense = linear.weight.grad.to_dense()
    assert dense[:, 0].tolist() == [0, 0, 2, 0, 0, 1]


def test_no_occurrence_at_all_is_zero() -> None:
    linear = filled()
    none = torch.zeros(0, dtype=torch.long)
    assert linear(none, torch.tensor([0, 0])).tolist() == [[0.0] * 3] * 2
