"""Tags as choices: a part of speech, and for each attribute a value or none."""

from functools import lru_cache
from typing import Dict, List, Optional, Sequence, Set, Tuple

import torch

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.tag_attributes import values_of

# The position of a part of speech, then for each attribute that of its value in `TagFactors.values`.
Choices = Tuple[int, ...]


class TagFactors:
    """
    Every combination of a part of speech with values of the attributes that some tag has beside it, whether or not
    any tag is that combination.

    # Parameters

    tags : `Sequence[MorphTag]`

    # Attributes

    pos : `List[str]`
        Sorted.
    values : `List[Tuple[str, ...]]`
        The features that each value stands for, those of one attribute one after another, the first of each none.
    sizes : `List[int]`
        How many values each attribute has.
    is_possible : `torch.BoolTensor`
        Whether a part of speech can have a value; shape (num_pos, num_values).
    open_attributes : `List[List[int]]`
        The positions of the attributes of which each part of speech can have more than none.
    """

    def __init__(self, tags: Sequence[MorphTag]) -> None:
        by_attribute: Dict[str, Set[Tuple[str, ...]]] = {}
        attributes_of_pos: Dict[str, Set[str]] = {}
        for tag in tags:
            values = values_of(tag)
            attributes_of_pos.setdefault(tag.pos, set()).update(values)
            for attribute, value in values.items():
                by_attribute.setdefault(attribute, set()).add(value)
        self.pos: List[str] = sorted(attributes_of_pos)
        self.values: List[Tuple[str, ...]] = []
        self.sizes: List[int] = []
        self._starts: Dict[str, int] = {}
        for attribute in sorted(by_attribute):
            self._starts[attribute] = len(self.values)
            self.values += [(), *sorted(by_attribute[attribute])]
            self.sizes.append(1 + len(by_attribute[attribute]))
        self._places: Dict[Tuple[str, Tuple[str, ...]], int] = {}
        self.is_possible = torch.zeros(len(self.pos), len(self.values), dtype=torch.bool)
        for (attribute, start), size in zip(self._starts.items(), self.sizes, strict=True):
            for place in range(start, start + size):
                self._places[attribute, self.values[place]] = place
            for row, pos in enumerate(self.pos):
                possible = size if attribute in attributes_of_pos[pos] else 1
                self.is_possible[row, start : start + possible] = True
        self.open_attributes: List[List[int]] = [
            [place for place, name in enumerate(self._starts) if name in attributes_of_pos[pos]]
            for pos in self.pos
        ]
        self._pos_places = {pos: place for place, pos in enumerate(self.pos)}
        self.tag_of = lru_cache(maxsize=65536)(self._tag_of)

    def choices(self, tag: MorphTag) -> Optional[Choices]:
        """What a tag is made of; `None` where that has no part of speech, value or combination of these here."""
        pos = self._pos_places.get(tag.pos)
        values = values_of(tag)
        if pos is None or not values.keys() <= self._starts.keys():
            return None
        places = [self._places.get((name, values.get(name, ()))) for name in self._starts]
        found = [place for place in places if place is not None and self.is_possible[pos, place]]
        return (pos, *found) if len(found) == len(places) else None

    def _tag_of(self, choices: Choices) -> MorphTag:
        pos, *places = choices
        return MorphTag.of(self.pos[pos], (part for place in places for part in self.values[place]))
