"""
Distillation (Hinton, Vinyals and Dean 2015; of sequences, Kim and Rush 2016): one model learns from labelled
inflections and from what a teacher, usually an ensemble, predicts:

    mean over ⟨f, ℓ, m⟩ of log p(f | ℓ, m)  +  γ · mean over ⟨ℓ, m⟩ of Σ_f p_teacher(f | ℓ, m) log p(f | ℓ, m)
"""

import math
from collections import Counter
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, DatasetReader, Instance
from allennlp.data.data_loaders import MultiProcessDataLoader
from allennlp.data.samplers import BatchSampler

from allennlp_svae.data.new_pairs import Pair, new_pairs
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.inflections import InflectionsReader, strings_of
from allennlp_svae.models.inflection_model import InflectionModel
from allennlp_svae.training.inflector_archives import load_inflector
from allennlp_svae.training.objective import weighted_union


class DistilledReader(DatasetReader):
    """
    Reads labelled inflections and lets a teacher inflect their pairs ⟨ℓ, m⟩ and new ones. For parameters see
    `DistilledLoader`.
    """

    def __init__(
        self,
        labeled: InflectionsReader,
        teacher: str,
        new_pairs: int,
        num_forms: int,
        min_ratio: float,
        sampled: bool,
        gamma: float,
        seed: int,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._labeled = labeled
        self._teacher = teacher
        self._new_pairs = new_pairs
        self._num_forms = num_forms
        self._min_ratio = min_ratio
        self._sampled = sampled
        self._gamma = gamma
        self._seed = seed

    def _read(self, file_path: str) -> Iterable[Instance]:
        labeled = list(self._labeled.read(file_path))
        pairs = dict.fromkeys(map(_pair_of, labeled))
        pairs.update(dict.fromkeys(new_pairs(pairs, self._new_pairs, self._seed)))
        yield from weighted_union(labeled, list(self._taught(list(pairs))), self._gamma)

    def _taught(self, pairs: List[Pair]) -> Iterator[Instance]:
        asked = [self._labeled.text_to_instance(*pair) for pair in pairs]
        # The student's random numbers are the same whatever its teacher does with them.
        with torch.random.fork_rng():
            torch.manual_seed(self._seed)
            teacher = load_inflector(self._teacher, self._labeled.tagset).model
            answers = self._samples(teacher, asked) if self._sampled else self._best(teacher, asked)
        for (lemma, tag), forms in zip(pairs, answers, strict=True):
            for form, weight in forms.items():
                yield self._labeled.text_to_instance(lemma, tag, form, weight)

    def _best(self, teacher: InflectionModel, asked: List[Instance]) -> List[Dict[str, float]]:
        found = teacher.inflect(asked, self._num_forms)
        return [self._likely({form: math.exp(score) for form, score in one}) for one in found]

    def _likely(self, probs: Dict[str, float]) -> Dict[str, float]:
        least = self._min_ratio * max(probs.values())
        return {form: prob for form, prob in probs.items() if prob >= least}

    def _samples(self, teacher: InflectionModel, asked: List[Instance]) -> List[Dict[str, float]]:
        passes = [teacher.sample(asked) for _ in range(self._num_forms)]
        return [
            {form: count / self._num_forms for form, count in Counter(drawn).items()}
            for drawn in zip(*passes, strict=True)
        ]

    def apply_token_indexers(self, instance: Instance) -> None:
        self._labeled.apply_token_indexers(instance)


@DataLoader.register("distilled", constructor="from_teacher")
class DistilledLoader(MultiProcessDataLoader):
    """AllenNLP's own loader, over the labelled data and what a teacher predicts."""

    @classmethod
    def from_teacher(
        cls,
        reader: DatasetReader,
        data_path: str,
        teacher: str,
        batch_sampler: BatchSampler,
        batches_per_epoch: Optional[int] = None,
        new_pairs: int = 300,
        num_forms: int = 5,
        min_ratio: float = 0.05,
        sampled: bool = False,
        gamma: float = 1.0,
        seed: int = 13370,
    ) -> "DistilledLoader":
        """
        # Parameters

        reader : `DatasetReader`
            The `inflections` reader, which reads the labelled data.
        data_path : `str`
            Of the labelled data.
        teacher : `str`
            An archive with an inflector of the same tagset. It is asked when the data are first read.
        batch_sampler, batches_per_epoch
            As for AllenNLP's `multiprocess` loader.
        new_pairs : `int`, optional (default = `300`)
            How many pairs ⟨ℓ, m⟩ the teacher inflects beside the labelled ones; see `data/new_pairs.py`.
        num_forms : `int`, optional (default = `5`)
            How many forms of a pair at most, weighted by p(f | ℓ, m).
        min_ratio : `float`, optional (default = `0.05`)
            Forms less likely than so many times the likeliest are left out: each takes as long to learn from.
        sampled : `bool`, optional (default = `False`)
            Whether forms are drawn, `num_forms` for each pair, and weighted by how often each was, instead.
        gamma : `float`, optional (default = `1.0`)
            The weight of all that the teacher predicts, where that of the labelled data is one.
        seed : `int`, optional (default = `13370`)
            Of the new pairs and of what is drawn.
        """
        if not isinstance(reader, InflectionsReader):
            raise ConfigurationError("The loader `distilled` reads with the `inflections` reader.")
        if num_forms < 1 or new_pairs < 0 or gamma <= 0.0:
            raise ConfigurationError(
                "The loader `distilled` needs `num_forms` and `gamma` above 0, and `new_pairs` not below."
            )
        distilled = DistilledReader(
            reader, teacher, new_pairs, num_forms, min_ratio, sampled, gamma, seed
        )
        return cls(
            distilled,
            data_path,
            batch_sampler=batch_sampler,
            batches_per_epoch=batches_per_epoch,
        )


def _pair_of(instance: Instance) -> Tuple[str, MorphTag]:
    strings = strings_of(instance)
    return strings["lemma"], MorphTag.parse(strings["tag"])
