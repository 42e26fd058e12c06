"""Dropout whose random numbers are bytes: on a CPU, drawing a float for each element takes most of dropout's time."""

import torch
from allennlp.common.checks import ConfigurationError

BYTE_VALUES = 256


class ByteDropout(torch.nn.Module):
    """
    Sets elements to zero and scales the others so that the expectation stays, when training.

    # Parameters

    p : `float`
        The probability of zero, taken to the nearest 1/256. At least 0, less than 1.

    # Raises

    `ConfigurationError` where `p` is no such probability.
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        if not 0 <= p < 1:
            raise ConfigurationError(f"The dropout of {p} is not at least 0 and less than 1.")
        self._dropped = min(round(p * BYTE_VALUES), BYTE_VALUES - 1)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        if not self.training or not self._dropped:
            return inputs
        count = inputs.numel()
        words = torch.empty(-(-count // 8), dtype=torch.int64, device=inputs.device)
        # The whole range of int64, each of whose bytes is uniform.
        random_bytes = words.random_(torch.iinfo(torch.int64).min, None).view(torch.uint8)
        kept = (random_bytes[:count] >= self._dropped).view(inputs.shape)
        return inputs * kept.to(inputs.dtype).mul_(BYTE_VALUES / (BYTE_VALUES - self._dropped))

    def extra_repr(self) -> str:
        return f"p={self._dropped / BYTE_VALUES}"
