"""A hash table, against a dictionary."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.key_table import KeyTable

# Few keys that are close, and some as great as there are.
KEYS = st.one_of(st.integers(0, 40), st.integers(0, 2**63 - 1))


@given(st.lists(KEYS, unique=True, max_size=60), st.lists(KEYS, max_size=30))
def test_it_finds_what_a_dictionary_finds(keys: list, others: list) -> None:
    table = KeyTable(np.array(keys, int))
    asked = [*others, *keys, *keys]
    places = {key: place for place, key in enumerate(keys)}
    assert table.num_keys == len(keys)
    assert table.find(np.array(asked, int)).tolist() == [
        places.get(key, len(keys)) for key in asked
    ]


def test_where_all_keys_have_the_same_slot_they_are_found_one_after_another() -> None:
    table = KeyTable(np.arange(100))
    slot = table._hash(np.array([7]))
    keys = np.array([key for key in range(100_000) if table._hash(np.array([key])) == slot])
    assert len(keys) > 50
    crowded = KeyTable(keys)
    assert crowded.find(keys).tolist() == list(range(len(keys)))
    assert crowded.find(keys + 1).tolist() == [len(keys)] * len(keys)
