"""Combinations against all of them, sorted."""

import itertools
import math

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.modules.best_products import best_products

SCORES = st.one_of(st.integers(-3, 0).map(float), st.floats(-5, 0), st.just(-math.inf))


@given(st.lists(st.lists(SCORES, min_size=1, max_size=4), max_size=4))
def test_all_combinations_best_first(scores):
    expected = {}
    for chosen in itertools.product(*(range(len(each)) for each in scores)):
        total = sum(each[place] for each, place in zip(scores, chosen, strict=True))
        if total > -math.inf:
            expected[chosen] = total
    found = list(best_products([numpy.array(each) for each in scores]))
    assert len(found) == len(expected)
    assert {chosen for _, chosen in found} == set(expected)
    for total, chosen in found:
        assert total == pytest.approx(expected[chosen])
    totals = [total for total, _ in found]
    assert all(one >= other - 1e-9 for one, other in itertools.pairwise(totals))
