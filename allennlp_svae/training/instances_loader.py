"""A data loader over instances in memory whose every epoch depends on nothing but its seed and its number."""

import random
from itertools import islice
from typing import Iterable, Iterator, List, Optional, Sequence

import numpy
import torch
from allennlp.data import DataLoader, Instance, Vocabulary
from allennlp.data.batch import Batch
from allennlp.data.data_loaders.data_loader import TensorDict
from allennlp.data.samplers import BatchSampler, BucketBatchSampler
from allennlp.nn import util

from allennlp_svae.data.errors import DataError

# Wide enough for decoding, which costs little more a step in a wide batch.
EVALUATION_BATCH_SIZE = 256


def seed_everything(*key: object) -> None:
    """Seeds `random`, numpy and torch from any key of printable things, the same on every machine."""
    seed = random.Random("/".join(map(str, key))).getrandbits(31)
    random.seed(seed)
    numpy.random.seed(seed)
    torch.manual_seed(seed)


class InstancesLoader(DataLoader):
    """
    Yields the batches of `batch_sampler`. At the start of each epoch all random generators are seeded
    from (`seed`, epoch), so that a run recovered at that epoch goes on exactly as it would have.

    # Parameters

    instances : `List[Instance]`
        Given by the caller, not by jsonnet.
    vocab : `Vocabulary`
        Indexes the instances.
    batch_sampler : `BatchSampler`
    min_batches_per_epoch : `int`, optional (default = `1`)
        An epoch is one pass over the data, or so many batches of an endless stream of passes where
        the data are few.
    seed : `str`, optional (default = `""`)
    finished_epochs : `int`, optional (default = `0`)
        A recovered trainer replays its finished epochs and drops their batches; they are yielded empty.
    """

    def __init__(
        self,
        instances: List[Instance],
        vocab: Vocabulary,
        batch_sampler: BatchSampler,
        min_batches_per_epoch: int = 1,
        seed: str = "",
        finished_epochs: int = 0,
    ) -> None:
        self.instances = instances
        self.batch_sampler = batch_sampler
        self.min_batches_per_epoch = min_batches_per_epoch
        self.seed = seed
        self.finished_epochs = finished_epochs
        self.device: Optional[torch.device] = None
        self._epoch = 0
        self._everything: Optional[TensorDict] = None
        self.index_with(vocab)

    def __len__(self) -> int:
        return max(self.min_batches_per_epoch, self._batches_per_pass())

    def __iter__(self) -> Iterator[TensorDict]:
        epoch = self._epoch
        self._epoch += 1
        if epoch < self.finished_epochs:
            for _ in range(len(self)):
                yield {}
            return
        seed_everything(self.seed, "epoch", epoch)
        for indices in self._batches_of(epoch):
            yield self._tensors(indices)

    def _batches_of(self, epoch: int) -> Iterator[List[int]]:
        first_pass, skipped = divmod(epoch * len(self), self._batches_per_pass())
        return islice(self._passes_from(first_pass), skipped, skipped + len(self))

    def _batches_per_pass(self) -> int:
        return self.batch_sampler.get_num_batches(self.instances)

    def _passes_from(self, number: int) -> Iterator[List[int]]:
        while True:
            yield from self._pass(number)
            number += 1

    def _pass(self, number: int) -> Sequence[List[int]]:
        """The batches of one pass over the data, shuffled by (seed, number) alone."""
        state = random.getstate()
        random.seed(f"{self.seed}/pass/{number}")
        try:
            return list(self.batch_sampler.get_batch_indices(self.instances))
        finally:
            random.setstate(state)

    def _tensors(self, indices: List[int]) -> TensorDict:
        if len(indices) < len(self.instances):
            return self._made([self.instances[index] for index in indices])
        # A batch of everything is the same in every pass, but for its order.
        if self._everything is None:
            self._everything = self._made(self.instances)
        return self._everything

    def _made(self, instances: List[Instance]) -> TensorDict:
        tensors = Batch(instances).as_tensor_dict()
        return tensors if self.device is None else util.move_to_device(tensors, self.device)

    def iter_instances(self) -> Iterator[Instance]:
        return iter(self.instances)

    def index_with(self, vocab: Vocabulary) -> None:
        self.vocab = vocab
        for instance in self.instances:
            instance.index_fields(vocab)

    def set_target_device(self, device: torch.device) -> None:
        self.device = device
        self._everything = None


def evaluation_loader(instances: Iterable[Instance], vocab: Vocabulary) -> InstancesLoader:
    """
    All instances once, in batches of similar length.

    # Raises

    `DataError` where there are none.
    """
    measured = list(instances)
    if not measured:
        raise DataError(
            "There is nothing to measure on: no word has the annotation that it takes.",
            remedy="give words of the development or test data a lemma and a tag.",
        )
    return InstancesLoader(
        measured, vocab, BucketBatchSampler(EVALUATION_BATCH_SIZE, shuffle=False)
    )
