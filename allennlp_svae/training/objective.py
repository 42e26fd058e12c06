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
    labeled: Sequence[Instance], unlabeled: Sequence[Instance], gamma: float
) -> List[Instance]:
    """
    The labelled instances and then the unlabelled ones, weighted so that the weighted sum of their losses
    is proportional to `mean over labelled + gamma * mean over unlabelled`: the unlabelled weights sum to
    `gamma` times what the labelled ones sum to. All together have mean one, so that the size of a step does
    not depend on how much data there is.

    # Parameters

    labeled : `Sequence[Instance]`
        With weights of their own (counts, for distinct items).
    unlabeled : `Sequence[Instance]`
        Likewise; their weights are changed.
    gamma : `float`
        γ_sleep or γ_wake. With 0 the unlabelled instances are left out.
    """
    if gamma == 0.0 or not unlabeled:
        return list(labeled)
    labeled_mass = sum(map(weight_of, labeled))
    unlabeled_mass = sum(map(weight_of, unlabeled))
    scale = (len(labeled) + len(unlabeled)) / (labeled_mass * (1.0 + gamma))
    _scale_weights(labeled, scale)
    _scale_weights(unlabeled, scale * gamma * labeled_mass / unlabeled_mass)
    return [*labeled, *unlabeled]


def _scale_weights(instances: Sequence[Instance], factor: float) -> None:
    for instance in instances:
        instance.fields[WEIGHT] = TensorField(torch.tensor(weight_of(instance) * factor))
