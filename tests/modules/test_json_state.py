import io

import torch
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.modules.json_state import json_from_tensor, json_to_tensor

LEAVES = st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(LEAVES, lambda each: st.lists(each) | st.dictionaries(st.text("abı"), each))


@given(VALUES)
def test_a_value_comes_back_from_a_file_of_tensors(value):
    file = io.BytesIO()
    torch.save({"state": json_to_tensor(value)}, file)
    file.seek(0)
    assert json_from_tensor(torch.load(file, weights_only=True)["state"]) == value
