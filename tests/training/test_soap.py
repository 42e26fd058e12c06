import copy
from typing import Any, Dict, List

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.training.optimizers import Optimizer
from hypothesis import given
from hypothesis import strategies as st

GATES = [["weight_hh"], {"lr": 0.02, "betas": [0.9, 0.98], "blocks": 3}]
OTHERS = [["weight_ih"], {"lr": 0.02, "betas": [0.9, 0.98], "blocks": 1}]


def made(model: torch.nn.Module, groups: List[Any], **settings: Any) -> Optimizer:
    block = {
        "type": "soap",
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
    return torch.nn.GRU(16, 4)


def update(model: torch.nn.GRU, optimizer: Optimizer, seed: int = 0) -> None:
    torch.manual_seed(seed)
    optimizer.zero_grad()
    model(torch.randn(9, 3, 16))[0].square().sum().backward()
    optimizer.step()


def parameters_of(model: torch.nn.Module) -> Dict[str, torch.Tensor]:
    return {name: value.detach().clone() for name, value in model.named_parameters()}


class Referee:
    """One matrix, by its own AdamW in coordinates that change with the basis; the rate .02, no weight decay."""

    def __init__(self, weights: torch.Tensor) -> None:
        self.weights, self.products, self.updates = weights.clone(), torch.zeros(0), 0

    def update(self, gradient: torch.Tensor) -> None:
        products = gradient @ gradient.T
        if not self.updates:
            self.products, self.mean, self.squares = products, gradient * 0, gradient * 0
        beta = min(0.98, self.updates / (self.updates + 1))
        self.products = beta * self.products + (1 - beta) * products
        if self.updates % 3 == 0:
            self.basis = torch.linalg.eigh(self.products).eigenvectors
        self.updates += 1
        rotated = self.basis.T @ gradient
        # The mean is kept as it is written, not as it is rotated.
        self.mean = 0.9 * self.mean + 0.1 * gradient
        self.squares = 0.98 * self.squares + 0.02 * rotated**2
        mean = self.basis.T @ self.mean / (1 - 0.9**self.updates)
        size = (self.squares / (1 - 0.98**self.updates)).sqrt() + 1e-8
        self.weights -= 0.02 * self.basis @ (mean / size)


def test_gates_move_each_by_itself_as_adamw_in_its_basis() -> None:
    model = gru()
    optimizer = made(model, [GATES, OTHERS], weight_decay=0.0, basis_updates=3)
    before = parameters_of(model)
    referees = {
        name: [Referee(matrix) for matrix in before[name].chunk(blocks)]
        for name, blocks in (("weight_hh_l0", 3), ("weight_ih_l0", 1))
    }
    for seed in range(8):
        update(model, optimizer, seed)
        for name, matrices in referees.items():
            parameter = dict(model.named_parameters())[name]
            assert parameter.grad is not None
            for referee, gradient in zip(
                matrices, parameter.grad.chunk(len(matrices)), strict=True
            ):
                referee.update(gradient)
            expected = torch.cat([referee.weights for referee in matrices])
            assert torch.allclose(parameter, expected, atol=1e-4)
    assert not torch.allclose(model.weight_hh_l0, before["weight_hh_l0"], atol=0.05)


def test_weights_decay_beside() -> None:
    kept, decayed = gru(), gru()
    for model, decay in ((kept, 0.0), (decayed, 0.3)):
        update(model, made(model, [OTHERS], weight_decay=decay))
    expected = kept.weight_ih_l0 - 0.02 * 0.3 * gru().weight_ih_l0
    assert torch.allclose(decayed.weight_ih_l0, expected, atol=1e-6)


@given(st.integers(0, 10_000))
def test_units_that_are_turned_move_as_they_are_turned(seed: int) -> None:
    torch.manual_seed(seed)
    turn = torch.linalg.qr(torch.randn(4, 4)).Q
    weights, gradients = torch.randn(4, 6), torch.randn(7, 4, 6)
    ends = []
    for turned in (torch.eye(4), turn):
        model = torch.nn.Linear(6, 4, bias=False)
        model.weight.data = turned @ weights
        optimizer = made(model, [[["weight"], {"lr": 0.02, "blocks": 1}]], basis_updates=3)
        for gradient in gradients:
            model.weight.grad = turned @ gradient
            optimizer.step()
        ends.append(model.weight.detach())
    assert torch.allclose(turn @ ends[0], ends[1], atol=1e-4)


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


def test_a_basis_that_is_never_found() -> None:
    with pytest.raises(ConfigurationError, match="`basis_updates` is 0"):
        made(gru(), [GATES], basis_updates=0)
