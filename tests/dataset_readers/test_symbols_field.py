from typing import Dict, List

import pytest
import torch
from allennlp.data import Batch, Instance, Token, TokenIndexer, Vocabulary
from allennlp.data.fields import TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer, TokenCharactersIndexer
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.dataset_readers.symbols_field import SymbolsField

INDEXERS: List[Dict[str, TokenIndexer]] = [
    {"symbols": SingleIdTokenIndexer(namespace="symbols")},
    {"symbols": SingleIdTokenIndexer(namespace="symbols"), "others": SingleIdTokenIndexer()},
    {"letters": TokenCharactersIndexer(namespace="letters", min_padding_length=3)},
]


def batch_of(field: type, words: List[str], indexers: Dict[str, TokenIndexer]):
    instances = [Instance({"word": field([*map(Token, word)], indexers)}) for word in words]
    batch = Batch(instances)
    batch.index_instances(Vocabulary.from_instances(Batch([*instances[:2]])))
    return batch.as_tensor_dict()["word"]


@pytest.mark.parametrize("indexers", INDEXERS)
@given(words=st.lists(st.text("abcde", max_size=6), min_size=1, max_size=5).filter(any))
def test_batches_are_those_of_allennlp(indexers, words: List[str]) -> None:
    made = batch_of(SymbolsField, words, indexers)
    expected = batch_of(TextField, words, indexers)
    assert {name: set(tensors) for name, tensors in made.items()} == {
        name: set(tensors) for name, tensors in expected.items()
    }
    for name, tensors in expected.items():
        for key, tensor in tensors.items():
            assert made[name][key].dtype == tensor.dtype
            assert torch.equal(made[name][key], tensor)
