import copy
from typing import Any, Dict, List, Tuple

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.training.optimizers import Optimizer

from allennlp_svae.training.muon import orthogonalized

GATES = [["weight_hh"], {"lr": 0.02, "blocks": 3}]
OTHERS = [["weight_ih"], {"lr": 0.02, "blocks": 1}]


def made(model: torch.nn.Module, groups: List[Any], **settings: Any) -> Optimizer:
    block = {
        "type": "muon",
        "lr": 0.003,
        "weight_decay": 0.3,
        "parameter_groups": groups,
        **settings,
    }
    return Optimizer.from_params(
        Params(copy.deepcopy(block)), model_parameters=list(model.named_parameters())
    )


def gru() -> torch.nn.GRU:
    torch.manual_seed(0)
    return torch.nn.GRU(7, 4)


def update(model: torch.nn.GRU, optimizer: Optimizer, seed: int = 0) -> None:
    torch.manual_seed(seed)
    optimizer.zero_grad()
    model(torch.randn(5, 2, 7))[0].square().sum().backward()
    optimizer.step()


def polar(matrix: torch.Tensor) -> torch.Tensor:
    """The exact answer: the matrix with all its singular values one."""
    left, _, right = torch.linalg.svd(matrix, full_matrices=False)
    return left @ right


def parameters_of(model: torch.nn.Module) -> Dict[str, torch.Tensor]:
    return {name: value.detach().clone() for name, value in model.named_parameters()}


@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (4, 9), (128, 128), (64, 300)])
def test_directions_stay_and_sizes_become_about_one(shape: Tuple[int, int]) -> None:
    torch.manual_seed(1)
    matrices = torch.randn(3, *shape)
    for matrix, found in zip(matrices, orthogonalized(matrices), strict=True):
        left, sizes, right = torch.linalg.svd(matrix, full_matrices=False)
        rotated = left.T @ found @ right.T
        assert torch.allclose(rotated, rotated.diag().diag(), atol=1e-4)
        large = sizes > 0.02 * torch.linalg.matrix_norm(matrix)
        assert large.any()
        assert (rotated.diag()[large] > 0.6).all()
        assert (rotated.diag() < 1.25).all()


def test_of_nothing_comes_nothing() -> None:
    assert torch.equal(orthogonalized(torch.zeros(2, 3, 5)), torch.zeros(2, 3, 5))


def test_one_matrix_does_not_change_what_becomes_of_another() -> None:
    torch.manual_seed(1)
    matrices = torch.randn(3, 4, 6)
    alone = torch.cat([orthogonalized(matrix.unsqueeze(0)) for matrix in matrices])
    assert torch.allclose(orthogonalized(matrices), alone, atol=1e-5)


def test_gates_move_each_by_itself_as_far_as_the_rate_says() -> None:
    model = gru()
    before = parameters_of(model)
    optimizer = made(model, [GATES, OTHERS])
    update(model, optimizer)
    for name, blocks in (("weight_hh_l0", 3), ("weight_ih_l0", 1)):
        parameter = dict(model.named_parameters())[name]
        assert parameter.grad is not None
        moved = parameter.detach() - (1 - 0.02 * 0.3) * before[name]
        for step, gradient in zip(moved.chunk(blocks), parameter.grad.chunk(blocks), strict=True):
            expected = -0.02 * 0.2 * max(step.shape) ** 0.5 * polar(gradient)
            # Newton and Schulz leave singular values between .8 and 1.2.
            assert torch.nn.functional.cosine_similarity(
                step.flatten(), expected.flatten(), dim=0
            ) == pytest.approx(1.0, abs=0.05)
            assert float(step.norm() / expected.norm()) == pytest.approx(1.0, abs=0.25)


def test_what_has_no_blocks_moves_as_with_adamw() -> None:
    ours, theirs = gru(), gru()
    optimizers = [
        made(ours, [GATES]),
        Optimizer.from_params(
            Params({"type": "adamw", "lr": 0.003, "weight_decay": 0.3}),
            model_parameters=list(theirs.named_parameters()),
        ),
    ]
    for model, optimizer in zip((ours, theirs), optimizers, strict=True):
        update(model, optimizer)
    for (name, one), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-6) == (name != "weight_hh_l0")


def test_momentum_is_that_of_nesterov() -> None:
    model = gru()
    optimizer = made(model, [OTHERS], momentum=0.5)
    gradients = []
    for seed in (1, 2):
        before = model.weight_ih_l0.detach().clone()
        update(model, optimizer, seed)
        assert model.weight_ih_l0.grad is not None
        gradients.append(model.weight_ih_l0.grad.clone())
    mean = 0.5 * (0.5 * gradients[0]) + 0.5 * gradients[1]
    ahead = 0.5 * gradients[1] + 0.5 * mean
    wanted = orthogonalized(ahead.T.unsqueeze(0))[0].T
    moved = model.weight_ih_l0.detach() - (1 - 0.02 * 0.3) * before
    assert torch.allclose(moved, -0.02 * 0.2 * 12**0.5 * wanted, atol=1e-6)


def test_parameters_without_gradient_stay() -> None:
    model = gru()
    before = parameters_of(model)
    made(model, [GATES, OTHERS]).step()
    assert all(torch.equal(before[name], value) for name, value in model.named_parameters())


def test_a_loaded_state_goes_on_as_the_saved_one() -> None:
    model = gru()
    optimizer = made(model, [GATES, OTHERS])
    update(model, optimizer, seed=1)
    twin = copy.deepcopy(model)
    other = made(twin, [GATES, OTHERS])
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    for one, its_optimizer in ((model, optimizer), (twin, other)):
        update(one, its_optimizer, seed=2)
    for ours, theirs in zip(model.parameters(), twin.parameters(), strict=True):
        assert torch.equal(ours, theirs)


@pytest.mark.parametrize(
    "group",
    [[["bias"], {"blocks": 1}], [["weight_hh"], {"blocks": 5}], [["weight_hh"], {"blocks": 0}]],
    ids=str,
)
def test_blocks_of_what_is_no_matrix_of_so_many(group: List[Any]) -> None:
    with pytest.raises(ConfigurationError, match="`blocks`"):
        made(gru(), [group])
