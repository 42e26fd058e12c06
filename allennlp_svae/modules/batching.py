"""Instances in any order to padded tensors of similar lengths, and results back in the order asked for."""

import math
from typing import Callable, Iterable, Iterator, List, Sequence, Tuple, TypeVar

from allennlp.data import Batch, Instance
from allennlp.models import Model
from allennlp.nn import util

from allennlp_svae.modules.evaluating import evaluating

Result = TypeVar("Result")
Tensors = dict


def in_batches(
    model: Model,
    instances: Sequence[Instance],
    compute: Callable[[Tensors], Iterable[Result]],
    length_of: Callable[[Instance], int],
    batch_size: int = 256,
    padded_size: float = math.inf,
) -> List[Result]:
    """
    Applies `compute` to padded batches of similar length and returns one result an instance, in the
    given order. Meanwhile the model is in evaluation mode, without gradients.

    # Parameters

    model : `Model`
        Its vocabulary indexes the instances, its device holds the tensors.
    instances : `Sequence[Instance]`
    compute : `Callable[[Tensors], Iterable[Result]]`
        From a batch's tensors to one result an instance.
    length_of : `Callable[[Instance], int]`
        What to sort by.
    batch_size : `int`, optional (default = `256`)
        How many instances a batch has at most.
    padded_size : `float`, optional (default = `math.inf`)
        How many times the greatest length, at most, unless a single instance is longer.
    """
    results: List[Result] = [None] * len(instances)  # type: ignore[list-item]
    with evaluating(model):
        for positions, tensors in _batches(model, instances, length_of, batch_size, padded_size):
            for position, result in zip(positions, compute(tensors), strict=True):
                results[position] = result
    return results


def _batches(
    model: Model,
    instances: Sequence[Instance],
    length_of: Callable[[Instance], int],
    batch_size: int,
    padded_size: float,
) -> Iterator[Tuple[List[int], Tensors]]:
    lengths = [length_of(instance) for instance in instances]
    for positions in _groups(lengths, batch_size, padded_size):
        batch = Batch([instances[position] for position in positions])
        batch.index_instances(model.vocab)
        yield positions, util.move_to_device(batch.as_tensor_dict(), model._get_prediction_device())


def _groups(lengths: Sequence[int], batch_size: int, padded_size: float) -> Iterator[List[int]]:
    """The positions of similar lengths."""
    group: List[int] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        if group and (
            len(group) == batch_size or (len(group) + 1) * lengths[position] > padded_size
        ):
            yield group
            group = []
        group.append(position)
    if group:
        yield group
