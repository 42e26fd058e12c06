"""A data loader that trains inflectors on what they are given and on what can be made of it."""

import math
import random
from itertools import count, islice
from typing import Iterator, List, Optional

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, DatasetReader, Instance, Vocabulary
from allennlp.data.data_loaders.data_loader import TensorDict
from allennlp.data.samplers import BatchSampler

from allennlp_svae.data import augmentation
from allennlp_svae.data.sentence import Triple
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.inflections import InflectionsReader, strings_of
from allennlp_svae.dataset_readers.treebank_reader import weight_of
from allennlp_svae.modules.dotted_i import dotted_i
from allennlp_svae.modules.form_ranker import attested_words
from allennlp_svae.training.instances_loader import InstancesLoader, seed_everything
from allennlp_svae.training.objective import weighted_union


@DataLoader.register("augmented")
class AugmentedLoader(DataLoader):
    """
    Each pass over the labelled inflections has others beside them, made anew (see
    `allennlp_svae.data.augmentation`). Of a kind with mass γ about γ are made for each labelled one, and
    their weights sum to γ times what the labelled weights sum to. Everything drawn depends on `seed` and on
    the number of the pass or epoch alone, so that a recovered run goes on as it would have.

    The vocabulary counts what was read and nothing that was made. Where no gradient is recorded, as in
    validation and `allennlp evaluate`, the loader yields what was read, once.

    # Parameters

    reader : `DatasetReader`
        An `inflections` reader. Given by AllenNLP, as is `data_path`.
    data_path : `str`
    batch_sampler : `BatchSampler`
    batches_per_epoch : `int`, optional (default = `None`)
        So many of an endless stream of passes; as many as the labelled inflections alone fill if `None`.
    hallucinated : `float`, optional (default = `0.0`)
        The mass of labelled inflections with another stem, its beginning from a word of the labelled data or of
        the raw text that the vocabulary has (see `TreebankVocabulary`).
    analogies : `float`, optional (default = `0.0`)
        The mass of labelled lemmas under tags of other lemmas with the same ending.
    citations : `float`, optional (default = `0.0`)
        The mass of labelled lemmas under tags whose forms are the lemma.
    copies : `float`, optional (default = `0.0`)
        The mass of words of the labelled data and the raw text, copied under a tag of their own.
    tag_dropout : `float`, optional (default = `0.0`)
        The probability with which each feature of each tag is left out.
    seed : `int`, optional (default = `13370`)

    # Raises

    `ConfigurationError` where the reader is another or an option is out of its range.
    """

    def __init__(
        self,
        reader: DatasetReader,
        data_path: str,
        batch_sampler: BatchSampler,
        batches_per_epoch: Optional[int] = None,
        hallucinated: float = 0.0,
        analogies: float = 0.0,
        citations: float = 0.0,
        copies: float = 0.0,
        tag_dropout: float = 0.0,
        seed: int = 13370,
    ) -> None:
        if not isinstance(reader, InflectionsReader):
            raise ConfigurationError(
                "A data loader of type `augmented` augments what a reader of type `inflections` reads."
            )
        masses = {
            "hallucinated": hallucinated,
            "analogies": analogies,
            "citations": citations,
            "copies": copies,
        }
        for name, mass in masses.items():
            if not 0.0 <= mass < math.inf:
                raise ConfigurationError(f"`{name}` must be at least 0 and finite.")
        if not 0.0 <= tag_dropout < 1.0:
            raise ConfigurationError("`tag_dropout` must be at least 0 and less than 1.")
        if batches_per_epoch is not None and batches_per_epoch < 1:
            raise ConfigurationError("`batches_per_epoch` must be at least 1.")
        self.reader = reader
        self.data_path = data_path
        self.batch_sampler = batch_sampler
        self.batches_per_epoch = batches_per_epoch
        self.tag_dropout = tag_dropout
        self.seed = seed
        self.device: Optional[torch.device] = None
        self._masses = {name: mass for name, mass in masses.items() if mass > 0.0}
        self._instances = list(reader.read(data_path))
        self._triples = [_triple(instance) for instance in self._instances]
        self._epoch = 0

    def __len__(self) -> int:
        if self.batches_per_epoch is None or not torch.is_grad_enabled():
            return self.batch_sampler.get_num_batches(self._instances)
        return self.batches_per_epoch

    def __iter__(self) -> Iterator[TensorDict]:
        if not torch.is_grad_enabled():
            yield from self._pass(self._instances, "as read")
            return
        seed_everything(self.seed, "epoch", self._epoch)
        self._epoch += 1
        yield from islice(self._batches, len(self))

    def iter_instances(self) -> Iterator[Instance]:
        return iter(self._instances)

    def index_with(self, vocab: Vocabulary) -> None:
        self.vocab = vocab
        self._epoch = 0
        self._batches = self._passes()
        labeled = {word for triple in self._triples for word in (triple.form, triple.lemma)}
        self._words = sorted(labeled | attested_words(vocab))
        self._stems = augmentation.Stems(self._words)
        self._dotted = dotted_i(vocab)
        self._unlabeled_cells = {
            "analogies": augmentation.analogies(self._triples, self._stems, self._dotted),
            "citations": augmentation.citations(self._triples, self._dotted),
        }

    def set_target_device(self, device: torch.device) -> None:
        self.device = device

    def _passes(self) -> Iterator[TensorDict]:
        for number in count():
            yield from self._pass(self._augmented(number), f"{self.seed}/{number}")

    def _pass(self, instances: List[Instance], seed: str) -> Iterator[TensorDict]:
        loader = InstancesLoader(instances, self.vocab, self.batch_sampler, seed=seed)
        if self.device is not None:
            loader.set_target_device(self.device)
        return iter(loader)

    def _augmented(self, number: int) -> List[Instance]:
        """The instances of one pass over the labelled inflections."""
        rng = random.Random(f"{self.seed}/augmented/{number}")
        labeled = self._instances
        if self.tag_dropout:
            labeled = [
                self._instance(triple, weight_of(instance), rng)
                for triple, instance in zip(self._triples, labeled, strict=True)
            ]
        made: List[Instance] = []
        mass_made = 0.0
        for name, mass in self._masses.items():
            triples = self._draw(name, round(mass * len(labeled)), rng)
            if triples:
                weight = mass / len(triples)
                made += [self._instance(triple, weight, rng) for triple in triples]
                mass_made += mass
        return weighted_union(labeled, made, mass_made)

    def _draw(self, name: str, size: int, rng: random.Random) -> List[Triple]:
        if name == "hallucinated":
            return augmentation.hallucinated(self._triples, self._stems, size, rng, self._dotted)
        if name == "copies":
            return augmentation.copies(self._words, size, rng)
        cells = self._unlabeled_cells[name]
        return rng.sample(cells, min(size, len(cells)))

    def _instance(self, triple: Triple, weight: float, rng: random.Random) -> Instance:
        form, lemma, tag = triple
        tag = augmentation.without_features(tag, self.tag_dropout, rng)
        return self.reader.text_to_instance(lemma, tag, form, weight)


def _triple(instance: Instance) -> Triple:
    strings = strings_of(instance)
    return Triple(strings["form"], strings["lemma"], MorphTag.parse(strings["tag"]))
