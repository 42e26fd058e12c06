"""The best UD reading of a set of UniMorph features: a right inverse of the paper's conversion."""

import re
from typing import Dict, FrozenSet, Iterable, List, Mapping, Optional, Sequence, Tuple
from urllib.parse import quote, unquote

from allennlp_svae.data.ud_to_unimorph import (
    FEATURE_TABLE,
    LAYER_NUMBERS,
    LAYERS,
    POSSESSED,
    unimorph_features,
)

# What UD has no attribute for is kept in this one of our own, so that nothing is lost on the way.
UNIMORPH_ATTRIBUTE = "Unimorph"

_UPOS: Dict[str, str] = {
    "ADJ": "ADJ",
    "ADP": "ADP",
    "ADV": "ADV",
    "CONJ": "CCONJ",
    "DET": "DET",
    "INTJ": "INTJ",
    "N": "NOUN",
    "NUM": "NUM",
    "PART": "PART",
    "PRO": "PRON",
    "PROPN": "PROPN",
    "V": "VERB",
}
# Of several UD values with the same feature these are the commoner ones, tried before the others.
_PREFERRED = {
    ("Aspect", "Imp"),
    ("Case", "Ill"),
    ("Mood", "Imp"),
    ("VerbForm", "Conv"),
    ("VerbForm", "Vnoun"),
}

_Reading = Dict[str, str]


def _readings_of_features() -> Dict[str, List[_Reading]]:
    readings: Dict[str, List[_Reading]] = {}
    for pair in sorted(FEATURE_TABLE, key=lambda pair: (pair not in _PREFERRED, pair)):
        for feature in FEATURE_TABLE[pair]:
            readings.setdefault(feature, []).append({pair[0]: pair[1]})
    readings[POSSESSED] += [
        {"Number[psor]": "None", "Person[psor]": "None"},
        {"Number[psor]": "Dual"},
    ]
    return readings


_READINGS = _readings_of_features()
_NUMBERS = {letter: number for number, letter in LAYER_NUMBERS.items()}
_LAYERS = {prefix: layer for layer, prefix in LAYERS.items()}
_LAYERED = re.compile(f"({'|'.join(_LAYERS)})([0-3]?)([{''.join(_NUMBERS)}]?)")


def ud_reading(features: FrozenSet[str]) -> Tuple[str, Dict[str, str]]:
    """
    UPOS and FEATS that `unimorph_features` turns into exactly these features. Features that UD
    cannot express, or not beside the others (`PST` beside `PRS`), are put into the attribute
    `Unimorph`.

    # Parameters

    features : `FrozenSet[str]`
        UniMorph features, a part of speech among them or not.
    """
    parts_of_speech = sorted(feature for feature in features if feature in _UPOS)
    rest = set(features)
    if parts_of_speech:
        upos = _UPOS[parts_of_speech[0]]
        rest.discard(parts_of_speech[0])
    else:
        upos = "X" if features else "PUNCT"
    readings = {feature: _readings_within(feature, features) for feature in rest}
    # Features of one reading first: what is certain narrows what is not.
    readable = sorted(filter(readings.get, rest), key=lambda item: (len(readings[item]), item))
    feats = _consistent([readings[feature] for feature in readable], {})
    if feats is None:
        feats = {}
        for feature in readable:
            feats = _consistent([readings[feature]], feats) or feats
    if not unimorph_features(upos, feats) <= features:
        feats = {}
    missing = features - unimorph_features(upos, feats)
    if missing:
        feats[UNIMORPH_ATTRIBUTE] = keep_features(missing)
    return upos, dict(sorted(feats.items(), key=lambda item: item[0].lower()))


def keep_features(features: Iterable[str]) -> str:
    """
    Any features as a value of the attribute `Unimorph`; what FEATS cannot hold is percent-encoded.
    """
    return ",".join(quote(feature, safe="{}/+.()") for feature in sorted(features))


def kept_features(feats: Mapping[str, str]) -> List[str]:
    """The features that `keep_features` put into the attribute `Unimorph`."""
    kept = feats.get(UNIMORPH_ATTRIBUTE)
    return [unquote(feature) for feature in kept.split(",")] if kept else []


def _readings(feature: str) -> Sequence[_Reading]:
    if feature in _READINGS:
        return _READINGS[feature]
    if feature.startswith("{") and feature.endswith("}"):
        return _readings_of_alternatives(feature[1:-1].split("/"))
    of_layer = layered_values(feature)
    return (of_layer,) if of_layer else ()


def layered_values(feature: str) -> Dict[str, str]:
    """UD's person and number of the layer that a UniMorph feature names (`PSS3S`), if it does."""
    layered = _LAYERED.fullmatch(feature)
    if layered is None:
        return {}
    layer, values = _LAYERS[layered[1]], {}
    if layered[2]:
        values[f"Person[{layer}]"] = layered[2]
    if layered[3]:
        values[f"Number[{layer}]"] = _NUMBERS[layered[3]]
    return values


def _readings_of_alternatives(alternatives: Sequence[str]) -> Sequence[_Reading]:
    """Every attribute that has a value for each of the alternatives, with those values."""
    values_of_attribute: Dict[str, Dict[str, str]] = {}
    for (attribute, value), features in sorted(FEATURE_TABLE.items(), reverse=True):
        values_of_attribute.setdefault(attribute, {})["+".join(features)] = value
    return [
        {attribute: ",".join(sorted(values[alternative] for alternative in alternatives))}
        for attribute, values in values_of_attribute.items()
        if all(alternative in values for alternative in alternatives)
    ]


def _readings_within(feature: str, features: FrozenSet[str]) -> List[_Reading]:
    """The readings of a feature that claim nothing beyond the given features."""
    return [
        reading for reading in _readings(feature) if unimorph_features("X", reading) <= features
    ]


def _consistent(
    readings: Sequence[Sequence[_Reading]], feats: Dict[str, str]
) -> Optional[Dict[str, str]]:
    """The first choice of readings in which no attribute has two values, found by backtracking."""
    if not readings:
        return feats
    for reading in readings[0]:
        if all(feats.get(attribute, value) == value for attribute, value in reading.items()):
            found = _consistent(readings[1:], {**feats, **reading})
            if found is not None:
                return found
    return None
