"""What the readers of all models share: where sentences come from and which tagset they speak."""

from collections import Counter
from typing import Any, Hashable, Iterable, Iterator, Optional, Tuple, TypeVar

import torch
from allennlp.data import DatasetReader, Field, Instance
from allennlp.data.fields import TensorField

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Sentence, Triple, triples_of
from allennlp_svae.data.treebank import read_sentences

Item = TypeVar("Item", bound=Hashable)


class TreebankReader(DatasetReader):
    """
    Base of the readers. A data path names a file or a treebank folder and a split, and may name a
    portion of it (`treebank/train#labeled`); see `allennlp_svae.data.treebank`.

    # Parameters

    tagset : `str`, optional (default = `"paper"`)
        `paper`, `lossless` or `ud`; see `allennlp_svae.data.tagsets`.
    labeled_tokens : `int`, optional (default = `None`)
        How many tokens `#labeled` takes (finishing the sentence); all of them if `None`.
    held_out : `float`, optional (default = `0.0`)
        The fraction of the sentences, at the end, that `#held_out` takes and `#unlabeled` leaves alone.
    """

    def __init__(
        self,
        tagset: str = "paper",
        labeled_tokens: Optional[int] = None,
        held_out: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.tagset = tagset
        self.labeled_tokens = labeled_tokens
        self.held_out = held_out

    def sentences(self, file_path: str) -> Iterator[Sentence]:
        return read_sentences(file_path, self.tagset, self.labeled_tokens, self.held_out)

    def forms(self, file_path: str) -> Iterator[str]:
        """All words, annotated or not, in order."""
        for sentence in self.sentences(file_path):
            yield from sentence.forms

    def triples(self, file_path: str) -> Iterator[Triple]:
        """
        The tokens that have a lemma and a tag, as triples ⟨f, ℓ, m⟩.

        # Raises

        `DataError` where there is none.
        """
        found = False
        for triple in triples_of(self.sentences(file_path)):
            found = True
            yield triple
        if not found:
            raise nothing_annotated("no word has a lemma and a tag", file_path)


def nothing_annotated(problem: str, file_path: str) -> DataError:
    return DataError(
        f"There is nothing to learn from or to evaluate on: {problem}.",
        file_path,
        remedy="annotate LEMMA, UPOS and FEATS, or name another file or portion.",
    )


def weight_field(weight: float) -> Field:
    """The weight of an instance in the objective, as a scalar; shape of a batch: (batch_size,)."""
    return TensorField(torch.tensor(weight, dtype=torch.float))


def weight_of(instance: Instance) -> float:
    field = instance["weight"]
    assert isinstance(field, TensorField)
    return float(field.tensor)


def weighted_by_count(items: Iterable[Item], count_power: float) -> Iterator[Tuple[Item, float]]:
    """
    The distinct items in order of first occurrence, each with its count ** `count_power`, scaled so
    that the mean is one and learning rates keep their meaning.
    """
    counts = Counter(items)
    powers = [count**count_power for count in counts.values()]
    scale = len(powers) / sum(powers) if powers else 1.0
    for item, power in zip(counts, powers, strict=True):
        yield item, power * scale
