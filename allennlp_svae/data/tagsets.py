"""
The tagsets that the readers speak: how UD's UPOS and FEATS become a `MorphTag`, and the way back.
"""

from abc import ABC, abstractmethod
from typing import Dict, FrozenSet, Iterable, Mapping, Tuple

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.lossless_tags import (
    UPOS_ATTRIBUTE,
    from_lossless_features,
    lossless_features,
)
from allennlp_svae.data.tag import NO_POS, UD_POS, MorphTag
from allennlp_svae.data.ud_to_unimorph import unimorph_features
from allennlp_svae.data.unimorph_to_ud import (
    UNIMORPH_ATTRIBUTE,
    keep_features,
    kept_features,
    ud_reading,
)


class Tagset(ABC):
    """
    A way to write UD's morphological annotation as a tag m = ⟨t, σ⟩ (paper, section 2.1).
    Every tag that it makes is equal to its text read back, `MorphTag.parse(str(tag)) == tag`.
    """

    name: str

    @abstractmethod
    def encode(self, upos: str, feats: Mapping[str, str]) -> MorphTag:
        """
        The tag of a word.

        # Parameters

        upos : `str`
            UD's part of speech.
        feats : `Mapping[str, str]`
            UD's attributes and their values as written (`{"Case": "Acc,Dat", "Number[psor]":
            "Sing"}`).
        """

    @abstractmethod
    def decode(self, tag: MorphTag) -> Tuple[str, Dict[str, str]]:
        """UPOS and FEATS that `encode` turns into this tag, for every tag that it makes."""


class PaperTagset(Tagset):
    """
    The paper's tags: UniMorph features converted from UD (section 7.1). Values without a
    counterpart are dropped and some share one, so decoding gives the most usual of the readings.
    """

    name = "paper"

    def encode(self, upos: str, feats: Mapping[str, str]) -> MorphTag:
        return _tag(unimorph_features(upos, feats).union(kept_features(feats)))

    def decode(self, tag: MorphTag) -> Tuple[str, Dict[str, str]]:
        return ud_reading(_features(tag))


class LosslessTagset(Tagset):
    """UniMorph features and `LGSPEC:Attribute=Value` ones; no two annotations share a tag."""

    name = "lossless"

    def encode(self, upos: str, feats: Mapping[str, str]) -> MorphTag:
        return _tag(lossless_features(upos, feats))

    def decode(self, tag: MorphTag) -> Tuple[str, Dict[str, str]]:
        return from_lossless_features(_features(tag))


class UdTagset(Tagset):
    """UD as it is: the UPOS, and `Attribute=Value` features."""

    name = "ud"

    def encode(self, upos: str, feats: Mapping[str, str]) -> MorphTag:
        features = [f"{attribute}={value}" for attribute, value in feats.items()]
        if upos in UD_POS:
            return MorphTag.of(upos, features)
        return MorphTag.of(NO_POS, [*features, f"{UPOS_ATTRIBUTE}={upos}"])

    def decode(self, tag: MorphTag) -> Tuple[str, Dict[str, str]]:
        feats = dict(feature.split("=", 1) for feature in sorted(tag.features) if "=" in feature)
        foreign = [feature for feature in tag.features if "=" not in feature]
        if foreign:
            feats[UNIMORPH_ATTRIBUTE] = keep_features(foreign)
        return feats.pop(UPOS_ATTRIBUTE, tag.pos), feats


_TAGSETS: Dict[str, Tagset] = {
    each.name: each for each in (PaperTagset(), LosslessTagset(), UdTagset())
}


def tagset(name: str) -> Tagset:
    """
    The tagset of this name: `paper`, `lossless` or `ud`.

    # Raises

    `DataError` where there is none.
    """
    if name not in _TAGSETS:
        raise DataError(f"There is no tagset {name!r}.", remedy=f"use {', '.join(_TAGSETS)}.")
    return _TAGSETS[name]


def _tag(features: Iterable[str]) -> MorphTag:
    # By way of the text, so that a participle without part of speech is read alike wherever it
    # comes from.
    return MorphTag.parse(";".join(sorted(features)) or NO_POS)


def _features(tag: MorphTag) -> FrozenSet[str]:
    return tag.features | ({tag.pos} - {NO_POS})
