"""
UD annotation in UniMorph's terms without loss. A UD value that has a UniMorph feature of its own is
spelled by it (`Case=Ter` as `TERM`); any other becomes a language-specific feature that holds it
(`LGSPEC:Degree=Pos`). Unlike in the paper's conversion, no two UD values share a feature.
"""

from typing import Dict, FrozenSet, List, Mapping, Optional, Tuple

from allennlp_svae.data.ud_to_unimorph import (
    FEATURE_TABLE,
    LAYER_NUMBERS,
    LAYER_PERSONS,
    LAYERS,
    alternatives_feature,
)
from allennlp_svae.data.unimorph_to_ud import UNIMORPH_ATTRIBUTE, keep_features, layered_values

LANGUAGE_SPECIFIC = "LGSPEC:"
# Where no tagset lists the part of speech it stands among the features under this name, which no
# attribute of UD has: those begin with a capital.
UPOS_ATTRIBUTE = "upos"

_POS: Dict[str, str] = {
    "ADJ": "ADJ",
    "ADP": "ADP",
    "ADV": "ADV",
    "AUX": "AUX",
    "CCONJ": "CONJ",
    "DET": "DET",
    "INTJ": "INTJ",
    "NOUN": "N",
    "NUM": "NUM",
    "PART": "PART",
    "PRON": "PRO",
    "PROPN": "PROPN",
    "PUNCT": "PUNCT",
    "SCONJ": "COMP",
    "SYM": "SYM",
    "VERB": "V",
    "X": "X",
}

# Of UD values that share a feature in the paper's conversion, these are left without.
_WITHOUT_FEATURE = {
    ("Case", "Add"),
    ("Mood", "Jus"),
    ("Tense", "Imp"),
    ("VerbForm", "Gdv"),
    ("VerbForm", "Ger"),
    ("VerbForm", "Sup"),
}
# Features of the UniMorph schema (Sylak-Glassman 2016) for values that the paper's conversion
# drops.
_DROPPED_BY_THE_PAPER: Dict[Tuple[str, str], str] = {
    ("Aspect", "Hab"): "HAB",
    ("Case", "Cau"): "PRP",
    ("Case", "Del"): "ON+ABL",
    ("Case", "Ter"): "TERM",
    ("Clusivity", "Ex"): "EXCL",
    ("Clusivity", "In"): "INCL",
    ("Degree", "Equ"): "EQT",
    ("Mood", "Adm"): "ADM",
    ("Mood", "Irr"): "IRR",
    ("Mood", "Nec"): "OBLIG",
    ("Mood", "Prp"): "PURP",
    ("Number", "Pauc"): "PAUC",
    ("Number", "Tri"): "TRI",
    ("Person", "4"): "4",
    ("Polite", "Elev"): "ELEV",
    ("Polite", "Humb"): "HUMB",
    ("Voice", "Antip"): "ANTIP",
    ("Voice", "Rcp"): "RECP",
}
_FEATURE: Dict[Tuple[str, str], str] = {
    **{pair: found[0] for pair, found in FEATURE_TABLE.items() if pair not in _WITHOUT_FEATURE},
    **_DROPPED_BY_THE_PAPER,
}

_UPOS = {pos: upos for upos, pos in _POS.items()}
_VALUE = {feature: pair for pair, feature in _FEATURE.items()}


def lossless_features(upos: str, feats: Mapping[str, str]) -> FrozenSet[str]:
    """The features of UD's UPOS and FEATS, the part of speech among them; an injection."""
    features = {_POS[upos] if upos in _POS else _language_specific(UPOS_ATTRIBUTE, upos)}
    rest = dict(feats)
    for layer, prefix in LAYERS.items():
        features.update(_take_layer(layer, prefix, rest))
    for attribute, value in rest.items():
        features.add(_of_value(attribute, value))
    return frozenset(features)


def from_lossless_features(features: FrozenSet[str]) -> Tuple[str, Dict[str, str]]:
    """The UPOS and FEATS that `lossless_features` made these features of."""
    feats: Dict[str, str] = {}
    foreign = []
    upos = "X"
    for feature in sorted(features):
        values = _values(feature)
        feats.update(values)
        if feature in _UPOS:
            upos = _UPOS[feature]
        elif not values:
            foreign.append(feature)
    if foreign:
        feats[UNIMORPH_ATTRIBUTE] = keep_features(foreign)
    upos = feats.pop(UPOS_ATTRIBUTE, upos)
    return upos, dict(sorted(feats.items(), key=lambda item: item[0].lower()))


def _language_specific(attribute: str, value: str) -> str:
    return f"{LANGUAGE_SPECIFIC}{attribute}={value}"


def _of_value(attribute: str, value: str) -> str:
    if (attribute, value) in _FEATURE:
        return _FEATURE[attribute, value]
    alternatives = value.split(",")
    # Only sorted alternatives come back in their order.
    if alternatives == sorted(set(alternatives)) and len(alternatives) > 1:
        features = [_FEATURE.get((attribute, alternative)) for alternative in alternatives]
        if None not in features:
            return alternatives_feature(feature for feature in features if feature is not None)
    return _language_specific(attribute, value)


def _take_layer(layer: str, prefix: str, feats: Dict[str, str]) -> List[str]:
    """Takes person and number of a layer out of `feats`, as far as one feature can say them."""
    person: Optional[str] = feats.get(f"Person[{layer}]")
    number = LAYER_NUMBERS.get(feats.get(f"Number[{layer}]", ""))
    if person not in LAYER_PERSONS:
        person = None
    # PSSD is "possessed" in UniMorph, not "of a possessor in the dual".
    if person is None and number == "D":
        number = None
    if person is None and number is None:
        return []
    if person is not None:
        del feats[f"Person[{layer}]"]
    if number is not None:
        del feats[f"Number[{layer}]"]
    return [prefix + (person or "") + (number or "")]


def _values(feature: str) -> List[Tuple[str, str]]:
    """
    The attributes and values that a feature says; none for a part of speech or a foreign feature.
    """
    if feature.startswith(LANGUAGE_SPECIFIC):
        attribute, _, value = feature.removeprefix(LANGUAGE_SPECIFIC).partition("=")
        return [(attribute, value)]
    if feature in _VALUE:
        return [_VALUE[feature]]
    alternatives = feature[1:-1].split("/") if feature.startswith("{") else []
    if alternatives and all(alternative in _VALUE for alternative in alternatives):
        pairs = [_VALUE[alternative] for alternative in alternatives]
        return [(pairs[0][0], ",".join(sorted(value for _, value in pairs)))]
    return [*layered_values(feature).items()]
