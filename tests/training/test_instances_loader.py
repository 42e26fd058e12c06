import random
from collections import Counter

import numpy
import pytest
import torch
from allennlp.data import Instance, Vocabulary
from allennlp.data.fields import ListField, TensorField
from allennlp.data.samplers import BucketBatchSampler
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.errors import DataError
from allennlp_svae.training.instances_loader import (
    InstancesLoader,
    evaluation_loader,
    seed_everything,
)


def instances(count):
    return [
        Instance(
            {
                "item": TensorField(torch.tensor(number)),
                "length": ListField([TensorField(torch.zeros(1))] * (1 + number % 5)),
            }
        )
        for number in range(count)
    ]


def loader(count=23, seed="seed", min_batches_per_epoch=1, **kwargs):
    sampler = BucketBatchSampler(batch_size=4, sorting_keys=["length"])
    return InstancesLoader(
        instances(count), Vocabulary(), sampler, min_batches_per_epoch, seed=seed, **kwargs
    )


def epoch(data_loader):
    return [batch["item"].tolist() if batch else None for batch in data_loader]


def test_nothing_to_measure_on_is_an_error():
    with pytest.raises(DataError, match=r"nothing to measure on.*Remedy"):
        evaluation_loader([], Vocabulary())


def test_an_epoch_is_one_pass_over_all_instances():
    batches = epoch(loader())
    assert sorted(item for batch in batches for item in batch) == list(range(23))
    assert len(batches) == len(loader()) == 6


def test_epochs_depend_on_the_seed_and_their_number_alone():
    first, second = loader(), loader()
    random.seed(1)
    one = [epoch(first), torch.rand(1).item(), epoch(first)]
    random.seed(2)
    other = [epoch(second), torch.rand(1).item(), epoch(second)]
    assert one == other
    assert one[0] != one[2]
    assert epoch(loader(seed="another")) != one[0]


def test_finished_epochs_are_replayed_empty_and_the_next_is_the_same():
    uninterrupted = loader()
    epoch(uninterrupted)
    epoch(uninterrupted)
    recovered = loader(finished_epochs=2)
    assert epoch(recovered) == [None] * 6
    assert epoch(recovered) == [None] * 6
    assert epoch(recovered) == epoch(uninterrupted)


@given(st.integers(1, 15), st.integers(1, 30), st.integers(0, 4))
def test_few_data_are_an_endless_stream_that_epochs_cut(min_batches_per_epoch, count, finished):
    whole = loader(count, min_batches_per_epoch=min_batches_per_epoch)
    epochs = [epoch(whole) for _ in range(6)]
    one_pass = -(-count // 4)
    assert all(len(batches) == max(min_batches_per_epoch, one_pass) for batches in epochs)
    seen = Counter(item for batches in epochs for batch in batches for item in batch)
    assert max(seen.values()) - min(seen[item] for item in range(count)) <= 1
    recovered = loader(count, min_batches_per_epoch=min_batches_per_epoch, finished_epochs=finished)
    assert [epoch(recovered) for _ in range(6)][finished:] == epochs[finished:]


def test_seeding_depends_on_the_whole_key():
    def drawn(*key):
        seed_everything(*key)
        return random.random(), numpy.random.rand(), torch.rand(1).item()

    assert drawn("a", 1) == drawn("a", 1)
    assert not set(drawn("a", 1)) & set(drawn("a", 2))
    # The same on every machine and in every process: Python's own hash() is not.
    seed = random.Random("a/1").getrandbits(31)
    assert drawn("a", 1)[0] == random.Random(seed).random()
