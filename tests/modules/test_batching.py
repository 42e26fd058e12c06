"""How instances are grouped: similar lengths, each once, and no more than asked for."""

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.modules.batching import _groups


@given(
    st.lists(st.integers(0, 30), max_size=40),
    st.integers(1, 10),
    st.one_of(st.integers(1, 100), st.just(math.inf)),
)
def test_groups_hold_each_once_and_no_more_than_asked_for(lengths, batch_size, padded_size) -> None:
    groups = list(_groups(lengths, batch_size, padded_size))
    assert sorted(place for group in groups for place in group) == list(range(len(lengths)))
    ordered = [lengths[place] for group in groups for place in group]
    assert ordered == sorted(lengths)
    for group in groups:
        longest = max(lengths[place] for place in group)
        assert len(group) <= batch_size
        assert len(group) * longest <= padded_size or len(group) == 1
    # No group could have taken the next one as well.
    for group, following in pairwise(groups):
        size = (len(group) + 1) * lengths[following[0]]
        assert len(group) == batch_size or size > padded_size
