"""The semi-supervised objective, by weights: supervised mean + γ · unsupervised mean (paper, section 5.4)."""

from typing import List, Sequence

import torch
from allennlp.data import Instance
from allennlp.data.fields import TensorField

WEIGHT = "weight"


def weight_of(instance: Instance) -> float:
    field = instance[WEIGHT]
    assert isinstance(field, TensorField)
    return float(field.tensor)


def weighted_union(
    labeled: List[Instance], unlabeled: List[Instance], gamma: float
) -> List[Instance]:
    """
    The labelled instances and then the unlabelled ones, weighted so that the weighted sum of their losses
    is proportional to `mean over labelled + gamma * mean over unlabelled`: the unlabelled weights sum to
    `gamma` times what the labelled ones sum to. All together have mean one, so that the size of a step does
    not depend on how much data there is.

    Few instances of great weight make the gradients of small batches vary: an edit transducer that had 700 of them
    beside 15 000 light ones was better off without the raw text. So each labelled instance comes several times, with
    its share of the weight each time, but not so often that they outnumber the unlabelled ones.

    # Parameters

    labeled : `List[Instance]`
        With weights of their own (counts, for distinct items).
    unlabeled : `List[Instance]`
        Likewise; their weights are changed.
    gamma : `float`
        γ_sleep or γ_wake. With 0 the unlabelled instances are left out.
    """
    if gamma == 0.0 or not unlabeled:
        return labeled
    labeled_mass = sum(map(weight_of, labeled))
    unlabeled_mass = sum(map(weight_of, unlabeled))
    # More often than that, and they would be lighter than the unlabelled ones.
    times = max(1, int(len(unlabeled) / len(labeled) / max(1.0, gamma)))
    scale = (times * len(labeled) + len(unlabeled)) / (labeled_mass * (1.0 + gamma))
    _scale_weights(labeled, scale / times)
    _scale_weights(unlabeled, scale * gamma * labeled_mass / unlabeled_mass)
    return [*labeled * times, *unlabeled]


def _scale_weights(instances: Sequence[Instance], factor: float) -> None:
    for instance in instances:
        instance.fields[WEIGHT] = TensorField(torch.tensor(weight_of(instance) * factor))
