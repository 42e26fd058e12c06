import torch

from allennlp_svae.modules.sequences import concatenate_sequences, ranks


def test_padding_moves_to_the_end() -> None:
    first = torch.tensor([[1.0, 2.0, 3.0], [4.0, 0.0, 0.0]]).unsqueeze(-1)
    second = torch.tensor([[5.0, 0.0], [6.0, 7.0]]).unsqueeze(-1)
    packed, mask = concatenate_sequences(
        first, first.squeeze(-1) > 0, second, second.squeeze(-1) > 0
    )
    assert packed.squeeze(-1).tolist() == [[1.0, 2.0, 3.0, 5.0], [4.0, 6.0, 7.0, 0.0]]
    assert mask.tolist() == [[True] * 4, [True, True, True, False]]


def test_gradient_reaches_both() -> None:
    first = torch.ones(1, 2, 3, requires_grad=True)
    second = torch.ones(1, 2, 3, requires_grad=True)
    masks = torch.tensor([[True, False]])
    packed, _ = concatenate_sequences(first, masks, second, masks)
    packed.sum().backward()
    for sequence in (first, second):
        assert sequence.grad is not None
        assert sequence.grad[0, :, 0].tolist() == [1.0, 0.0]


def test_ranks_begin_anew_in_each_group():
    assert ranks(torch.tensor([2, 0, 3, 1])).tolist() == [0, 1, 0, 1, 2, 0]
    assert ranks(torch.tensor([], dtype=torch.long)).tolist() == []
