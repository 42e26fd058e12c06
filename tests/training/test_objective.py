import pytest
import torch
from allennlp.data import Instance
from allennlp.data.fields import TensorField
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.training.objective import repetitions, weight_of, weighted_union

WEIGHTS = st.lists(st.floats(0.1, 50.0), min_size=1, max_size=20)


def weighted(weights):
    return [Instance({"weight": TensorField(torch.tensor(weight))}) for weight in weights]


@given(WEIGHTS, WEIGHTS, st.floats(0.01, 4.0))
def test_union_is_supervised_mean_plus_gamma_times_unsupervised_mean(labeled, unlabeled, gamma):
    times = repetitions(labeled, unlabeled, gamma)
    union = weighted_union(weighted(labeled), weighted(unlabeled), gamma, times)
    weights = torch.tensor([weight_of(instance) for instance in union], dtype=torch.float64)
    assert len(labeled) <= times * len(labeled) <= max(len(labeled), len(unlabeled))
    of_labeled = torch.linspace(1.0, 2.0, len(labeled), dtype=torch.float64)
    of_unlabeled = torch.linspace(2.0, 4.0, len(unlabeled), dtype=torch.float64)
    losses = torch.cat([*[of_labeled] * times, of_unlabeled])

    def mean(values, item_losses):
        values = torch.tensor(values, dtype=torch.float64)
        return (values * item_losses).sum() / values.sum()

    objective = mean(labeled, of_labeled) + gamma * mean(unlabeled, of_unlabeled)
    # Proportional, by the same factor for any losses: the total weight over (1 + gamma).
    assert float((weights * losses).sum()) == pytest.approx(
        float(objective) * float(weights.sum()) / (1.0 + gamma), rel=1e-4
    )
    assert float(weights[: len(labeled)].mean()) == pytest.approx(1.0, rel=1e-4)


def test_labeled_instances_come_as_often_as_there_are_more_of_the_others():
    labeled, unlabeled = weighted([1.0, 3.0]), weighted([2.0] * 10)
    assert repetitions(labeled, unlabeled, 1.0) == 5
    union = weighted_union(labeled, unlabeled, 1.0, 5)
    assert [weight_of(instance) for instance in union] == pytest.approx([0.5, 1.5] * 5 + [1.0] * 10)


def test_gamma_zero_leaves_the_labeled_data_as_it_is():
    labeled = weighted([1.0, 2.0])
    assert weighted_union(labeled, weighted([1.0]), 0.0) == labeled
    assert [weight_of(instance) for instance in labeled] == [1.0, 2.0]
