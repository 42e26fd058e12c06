"""
Muon (Jordan and others, 2024): matrices move along their gradients' mean with all its singular values made about one.

AdamW takes each number by itself; what a recurrent matrix has seldom had to do, it then hardly learns. Here each
direction that the gradients have is as good as another, which finds better weights from few words.
"""

from collections import defaultdict
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.training.optimizers import Optimizer

from allennlp_svae.training.fused_adamw import FusedAdamW

# What a singular value becomes step by step, a x + b x³ + c x⁵: each the polynomial nearest to one, in the greatest
# difference, where the one before leaves what began between .003 and 1 (Amsel and others, 2025).
COEFFICIENTS = (
    (8.3837, -24.7659, 18.3571),
    (4.0434, -3.0114, 0.5695),
    (3.5056, -2.6267, 0.5257),
    (2.4901, -1.8343, 0.4368),
)
# With it an update's root mean square is that of AdamW's, about .2 of the learning rate.
UPDATE_SIZE = 0.2

Block = Tuple[torch.Tensor, torch.Tensor]


@Optimizer.register("muon")
class Muon(FusedAdamW):
    """
    Of the parameters whose group has `blocks`; of the others it is `fused_adamw`. torch has a Muon of its own, which
    takes many times as long on a CPU, one matrix after another in bfloat16, and no matrices of several blocks.

    # Parameters

    momentum : `float`, optional (default = `0.95`)
        What the mean of a matrix's gradients keeps of itself in an update; as Nesterov's, looked ahead once.
    **kwargs
        Those of `FusedAdamW`; `weight_decay` is as in AdamW, whatever moves the parameter. In `parameter_groups` a
        group's `blocks` is how many matrices, one below the other, each of its parameters is: 3 for those of a GRU.

    # Raises

    `ConfigurationError` where a parameter with `blocks` is no matrix of so many.
    """

    param_groups: List[Dict[str, Any]]

    def __init__(self, momentum: float = 0.95, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._momentum = momentum
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
        blocks: Dict[Tuple[int, ...], List[Block]] = defaultdict(list)
        for parameter in group["params"]:
            if parameter.grad is None:
                continue
            parameter.mul_(1 - group["lr"] * group["weight_decay"])
            direction = self._direction(parameter)
            for weight, wanted in zip(
                map(_wide, parameter.chunk(group["blocks"])),
                map(_wide, direction.chunk(group["blocks"])),
                strict=True,
            ):
                blocks[tuple(weight.shape)].append((weight, wanted))
        for shape, same in blocks.items():
            rate = group["lr"] * UPDATE_SIZE * max(shape) ** 0.5
            directions = orthogonalized(torch.stack([wanted for _, wanted in same]))
            for (weight, _), direction in zip(same, directions, strict=True):
                weight.sub_(direction, alpha=rate)

    def _direction(self, parameter: torch.nn.Parameter) -> torch.Tensor:
        assert parameter.grad is not None
        state = self.state[parameter]
        if not state:
            # Named as AdamW names its own, which reads `step` when a state is loaded.
            state["step"] = torch.tensor(0.0)
            state["exp_avg"] = torch.zeros_like(parameter)
        state["step"] += 1
        state["exp_avg"].lerp_(parameter.grad, 1 - self._momentum)
        return parameter.grad.lerp(state["exp_avg"], self._momentum)


def _wide(matrix: torch.Tensor) -> torch.Tensor:
    return matrix.T if matrix.size(0) > matrix.size(1) else matrix


def orthogonalized(matrices: torch.Tensor) -> torch.Tensor:
    """
    U f(S) Vᵀ of each matrix U S Vᵀ, where f takes singular values that are not tiny beside the others to about one. By
    Newton and Schulz's iteration, which needs nothing but products.

    # Parameters

    matrices : `torch.Tensor`
        Shape `(num_matrices, rows, columns)`, best with no more rows than columns.
    """
    gram = matrices @ matrices.mT
    # At least the square of the greatest singular value, and less than the sum of all squares.
    size = torch.linalg.matrix_norm(gram, keepdim=True).clamp(min=torch.finfo(gram.dtype).tiny)
    found, gram = matrices / size.sqrt(), gram / size
    for step, (a, b, c) in enumerate(COEFFICIENTS):
        if step:
            gram = found @ found.mT
        factor = torch.baddbmm(gram, gram, gram, beta=b, alpha=c)
        found = torch.baddbmm(found, factor, found, beta=a)
    return found
