"""Morphological tags: a part of speech and a set of features, in one canonical order."""

from functools import lru_cache
from typing import Any, FrozenSet, Iterable, NamedTuple, Tuple

NO_POS = "_"

# fmt: off
UNIMORPH_POS = frozenset((
    "N", "PROPN", "ADJ", "PRO", "CLF", "ART", "DET", "V", "ADV", "AUX", "ADP", "COMP", "CONJ",
    "NUM", "PART", "INTJ",
))
UD_POS = frozenset((
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "CONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON",
    "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X",
))
# fmt: on
# Non-finite verb forms are parts of speech of their own in UniMorph, but stand beside `V` or `ADJ`
# in converted UD tags.
UNIMORPH_VERB_FORMS = frozenset(("V.PTCP", "V.MSDR", "V.CVB"))


class MorphTag(NamedTuple):
    """
    A morphological tag m = ⟨t, σ⟩ (paper, section 2.1): a part of speech t and a slot σ. Tags are ordered by their
    parts.

    # Parameters

    pos : `str`
        The part of speech; `"_"` where the tag has none (punctuation in the paper's UniMorph tags).
    features : `FrozenSet[str]`, optional (default = empty)
        UniMorph features (`ACC`) or UD attribute=value pairs (`Case=Acc`).
    """

    pos: str
    features: FrozenSet[str] = frozenset()

    @classmethod
    def of(cls, pos: str, features: Iterable[str] = ()) -> "MorphTag":
        return cls(pos, frozenset(features))

    @classmethod
    def parse(cls, text: str) -> "MorphTag":
        """
        Reads `"N;ACC;SG"` or `"NOUN;Case=Acc"`; the order of the items does not matter.

        # Raises

        `ValueError` where an item is empty (`"N;;SG"`).
        """
        return _parse(text)

    @property
    def parts(self) -> Tuple[str, ...]:
        """The part of speech, then the features in order: what a multi-hot embedding sums over."""
        return (self.pos, *sorted(self.features))

    def __str__(self) -> str:
        return _text(self)

    # In the order of tuples, sets would be less than what contains them.

    def __lt__(self, other: Any) -> bool:
        return self.parts < other.parts

    def __le__(self, other: Any) -> bool:
        return self.parts <= other.parts

    def __gt__(self, other: Any) -> bool:
        return self.parts > other.parts

    def __ge__(self, other: Any) -> bool:
        return self.parts >= other.parts


@lru_cache(maxsize=65536)
def _parse(text: str) -> MorphTag:
    items = [item.strip() for item in text.split(";")]
    if not all(items):
        raise ValueError(f"The tag {text!r} has an empty item; write it like N;ACC;SG.")
    for candidates in (UNIMORPH_POS | UD_POS | {NO_POS}, UNIMORPH_VERB_FORMS):
        for position, item in enumerate(items):
            if item in candidates:
                return MorphTag(item, frozenset(items[:position] + items[position + 1 :]))
    return MorphTag(NO_POS, frozenset(items))


@lru_cache(maxsize=65536)
def _text(tag: MorphTag) -> str:
    if tag.pos == NO_POS and tag.features:
        return ";".join(sorted(tag.features))
    return ";".join(tag.parts)
