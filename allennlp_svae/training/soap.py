"""
SOAP of one side (Vyas and others, 2024): AdamW in the basis in which a matrix's gradients do not vary together.

AdamW takes each number by itself; the units of a recurrent layer learn together, and what they have seldom had to do
together, it hardly learns. In a basis of their own it learns more of few words.
"""

from typing import Any, Callable, Dict, List, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.training.optimizers import Optimizer
from torch.optim.adamw import adamw

from allennlp_svae.training.fused_adamw import FusedAdamW


@Optimizer.register("soap")
class Soap(FusedAdamW):
    """
    Of the parameters whose group has `blocks`; of the others it is `fused_adamw`.

    # Parameters

    basis_updates : `int`, optional (default = `20`)
        In so many updates the basis is found anew.
    **kwargs
        Those of `FusedAdamW`. In `parameter_groups` a group's `blocks` is how many matrices, one below the other, each
        of its parameters is: 3 for those of a GRU. A matrix has a row for each unit. Its `betas` are AdamW's; the mean
        of the gradients' products, of which the basis is made, keeps as much of itself as that of their squares.

    # Raises

    `ConfigurationError` where a parameter with `blocks` is no matrix of so many, or `basis_updates` less than one.
    """

    param_groups: List[Dict[str, Any]]

    def __init__(self, basis_updates: int = 20, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if basis_updates < 1:
            raise ConfigurationError(
                f"`basis_updates` is {basis_updates}; it has to be at least 1."
            )
        self._basis_updates = basis_updates
        for group in self._groups_of_matrices():
            for parameter in group["params"]:
                blocks = group["blocks"]
                if parameter.dim() != 2 or blocks < 1 or parameter.size(0) % blocks:
                    raise ConfigurationError(
                        f"A parameter of shape {tuple(parameter.shape)} is in a group with `blocks`: "
                        f"{blocks}, but no matrix of so many blocks."
                    )

    @torch.no_grad()
    def step(self, closure: Optional[Callable[[], float]] = None) -> Optional[float]:
        with torch.enable_grad():
            loss = None if closure is None else closure()
        for group in self._groups_of_matrices():
            self._move(group)
        groups = self.param_groups
        self.param_groups = [group for group in groups if "blocks" not in group]
        super().step()
        self.param_groups = groups
        return loss

    def _groups_of_matrices(self) -> List[Dict[str, Any]]:
        return [group for group in self.param_groups if "blocks" in group]

    def _move(self, group: Dict[str, Any]) -> None:
        beta1, beta2 = group["betas"]
        parameters = [parameter for parameter in group["params"] if parameter.grad is not None]
        states = [self.state[parameter] for parameter in parameters]
        moves, gradients = [], []
        for parameter, state in zip(parameters, states, strict=True):
            gradient = _blocks_of(parameter.grad, group)
            self._update_basis(state, gradient, beta2)
            gradients.append(state["basis"].mT @ gradient)
            moves.append(torch.zeros_like(gradient))
        adamw(
            moves,
            gradients,
            [state["exp_avg"] for state in states],
            [state["exp_avg_sq"] for state in states],
            [],
            [state["step"] for state in states],
            fused=True,
            amsgrad=False,
            maximize=False,
            beta1=beta1,
            beta2=beta2,
            lr=group["lr"],
            eps=group["eps"],
            weight_decay=0.0,
        )
        kept = 1 - group["lr"] * group["weight_decay"]
        for parameter, state, move in zip(parameters, states, moves, strict=True):
            _blocks_of(parameter, group).baddbmm_(state["basis"], move, beta=kept)

    def _update_basis(
        self, state: Dict[str, torch.Tensor], gradient: torch.Tensor, beta: float
    ) -> None:
        products = gradient @ gradient.mT
        if not state:
            # Named as AdamW names its own, which reads `step` when a state is loaded.
            state["step"] = torch.tensor(0.0, device=gradient.device)
            state["exp_avg"] = torch.zeros_like(gradient)
            state["exp_avg_sq"] = torch.zeros_like(gradient)
            state["products"] = torch.zeros_like(products)
            state["basis"] = torch.zeros_like(products)
        updates = int(state["step"])
        # At first the mean of all there have been.
        state["products"].lerp_(products, 1 - min(beta, updates / (updates + 1)))
        if updates % self._basis_updates == 0:
            basis = torch.linalg.eigh(state["products"]).eigenvectors
            state["exp_avg"] = basis.mT @ state["basis"] @ state["exp_avg"]
            state["basis"] = basis


def _blocks_of(matrix: torch.Tensor, group: Dict[str, Any]) -> torch.Tensor:
    """Shape `(blocks, rows, columns)`, a view."""
    return matrix.unflatten(0, (group["blocks"], -1))
