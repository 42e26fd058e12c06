"""
Which features of a tag are values of one attribute, and so rule each other out: `Case=Acc` and `Case=Dat` are, in
UniMorph `ACC` and `DAT`.
"""

from collections import defaultdict
from functools import lru_cache
from typing import Dict, List, Tuple

from allennlp_svae.data.lossless_tags import LANGUAGE_SPECIFIC, from_lossless_features
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.unimorph_to_ud import UNIMORPH_ATTRIBUTE


@lru_cache(maxsize=65536)
def attribute_of(feature: str) -> str:
    """
    UD's attribute of a feature of any tagset. Person and number of one layer, which UniMorph melts into one feature
    (`PSS3S`), are one attribute, `[psor]`; a feature that UD knows nothing of is an attribute of its own.
    """
    if "=" in feature:
        return feature.removeprefix(LANGUAGE_SPECIFIC).split("=")[0]
    _, feats = from_lossless_features(frozenset({feature}))
    if not feats or UNIMORPH_ATTRIBUTE in feats:
        return feature
    attribute = min(feats)
    return attribute[attribute.find("[") :] if "[" in attribute else attribute


@lru_cache(maxsize=65536)
def values_of(tag: MorphTag) -> Dict[str, Tuple[str, ...]]:
    """
    A tag's features by attribute. Those of one attribute, of which there is seldom more than one, are its value
    together.
    """
    values: Dict[str, List[str]] = defaultdict(list)
    for feature in sorted(tag.features):
        values[attribute_of(feature)].append(feature)
    return {attribute: tuple(features) for attribute, features in values.items()}
