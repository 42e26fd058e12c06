"""What a module knows besides tensors, in its state: archives and checkpoints hold tensors only."""

import json
from typing import Any

import torch


def json_to_tensor(value: Any) -> torch.Tensor:
    """The UTF-8 bytes of the JSON text, for `get_extra_state`; shape `(num_bytes,)`."""
    text = json.dumps(value, ensure_ascii=False)
    return torch.frombuffer(bytearray(text, "utf-8"), dtype=torch.uint8)


def json_from_tensor(state: torch.Tensor) -> Any:
    """The inverse, for `set_extra_state`."""
    return json.loads(bytes(state.tolist()).decode("utf-8"))
