"""The semi-supervised objective, by weights: supervised mean + γ · unsupervised mean (paper, section 5.4)."""

from typing import List, Sequence

from allennlp.data import Instance

from allennlp_svae.dataset_readers.treebank_reader import weight_field, weight_of


def weighted_union(
    labeled: List[Instance], unlabeled: List[Instance], gamma: float, times: int = 1
) -> List[Instance]:
    """
    The labelled instances and then the unlabelled ones, weighted so that the weighted sum of their losses
    is proportional to `mean over labelled + gamma * mean over unlabelled`: the unlabelled weights sum to
    `gamma` times what the labelled ones sum to. The labelled ones have mean one, as they have without the others: what
    is learned from them at a time does not depend on how much else there is.

    # Parameters

    labeled : `List[Instance]`
        With weights of their own (counts, for distinct items).
    unlabeled : `List[Instance]`
        Likewise; their weights are changed.
    gamma : `float`
        γ_sleep or γ_wake. With 0 the unlabelled instances are left out.
    times : `int`, optional (default = `1`)
        How often each labelled instance comes, so that no unlabelled one has to be much lighter; see `repetitions`.
    """
    if gamma == 0.0 or not unlabeled:
        return labeled
    _scale_weights(labeled, len(labeled) / sum(map(weight_of, labeled)))
    _scale_weights(unlabeled, gamma * times * len(labeled) / sum(map(weight_of, unlabeled)))
    return [*labeled * times, *unlabeled]


def repetitions(labeled: List[Instance], unlabeled: List[Instance], gamma: float) -> int:
    """
    How often few labelled instances come beside many unlabelled ones: as long as they neither outnumber them nor are
    lighter. Few instances of much greater weight make the gradients of small batches vary: an edit transducer that had
    700 of them beside 15 000 light ones was better off without the raw text.
    """
    return max(1, int(len(unlabeled) / len(labeled) / max(1.0, gamma)))


def _scale_weights(instances: Sequence[Instance], factor: float) -> None:
    for instance in instances:
        instance.fields["weight"] = weight_field(weight_of(instance) * factor)
