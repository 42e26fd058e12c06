"""A model as it is used, in the middle of being trained."""

from contextlib import contextmanager
from typing import Iterator

import torch
from allennlp.models import Model


@contextmanager
def evaluating(model: Model) -> Iterator[None]:
    """Dropout and gradients off, whatever mode the model is in, and that mode restored."""
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(was_training)
