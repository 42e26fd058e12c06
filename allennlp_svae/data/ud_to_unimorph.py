"""
The conversion of UD annotation to UniMorph features that the paper's tags went through (section
7.1).

A UD value either has UniMorph features, or is dropped. A value of several alternatives
(`Case=Acc,Dat`) becomes one feature of alternatives (`{ACC/DAT}`), and the possessor's and the
arguments' person and number melt into one feature each (`PSS3S`, `ARGAB3S`).
"""

from typing import Dict, FrozenSet, Iterable, List, Mapping, Optional, Tuple

# UPOS -> UniMorph part of speech. SYM, PUNCT, X and UD 1's CONJ have none.
POS_TABLE: Dict[str, str] = {
    "ADJ": "ADJ",
    "ADP": "ADP",
    "ADV": "ADV",
    "AUX": "V",
    "CCONJ": "CONJ",
    "DET": "DET",
    "INTJ": "INTJ",
    "NOUN": "N",
    "NUM": "NUM",
    "PART": "PART",
    "PRON": "PRO",
    "PROPN": "PROPN",
    "SCONJ": "CONJ",
    "VERB": "V",
}

# Attribute -> value -> UniMorph features, space-separated.
_FEATURE_TABLE: Dict[str, Dict[str, str]] = {
    "Animacy": {"Anim": "ANIM", "Hum": "HUM", "Inan": "INAN", "Nhum": "NHUM"},
    "Aspect": {"Imp": "IPFV", "Iter": "ITER", "Perf": "PFV", "Prog": "PROG", "Prosp": "PROSP"},
    "Case": {
        "Abe": "PRIV",
        "Abl": "AT+ABL",
        "Abs": "ABS",
        "Acc": "ACC",
        # The Estonian short illative is told from the long one by a language-specific feature.
        "Add": "IN+ALL LGSPEC1",
        "Ade": "AT+ESS",
        "All": "AT+ALL",
        "Ben": "BEN",
        "Com": "COM",
        "Dat": "DAT",
        "Dis": "DIST",
        "Ela": "IN+ABL",
        "Equ": "EQTV",
        "Erg": "ERG",
        "Ess": "FRML",
        "Gen": "GEN",
        "Ill": "IN+ALL",
        "Ine": "IN+ESS",
        "Ins": "INS",
        "Loc": "ESS",
        "Nom": "NOM",
        "Par": "PRT",
        "Sub": "ON+ALL",
        "Sup": "ON+ESS",
        "Tra": "TRANS",
        "Voc": "VOC",
    },
    "Definite": {"Cons": "PSSD", "Def": "DEF", "Ind": "INDF"},
    "Degree": {"Abs": "AB", "Cmp": "CMPR", "Sup": "RL"},
    "Evident": {"Fh": "FH", "Nfh": "NFH"},
    "Gender": {"Com": "MASC+FEM", "Fem": "FEM", "Masc": "MASC", "Neut": "NEUT"},
    "Mood": {
        "Cnd": "COND",
        "Imp": "IMP",
        "Ind": "IND",
        "Jus": "IMP",
        "Opt": "OPT",
        "Pot": "POT",
        "Qot": "QUOT",
        "Sub": "SBJV",
    },
    "Number": {"Dual": "DU", "Plur": "PL", "Sing": "SG"},
    "Person": {"0": "0", "1": "1", "2": "2", "3": "3"},
    "Polarity": {"Neg": "NEG", "Pos": "POS"},
    "Polite": {"Form": "FORM", "Infm": "INFM"},
    "Reflex": {"Yes": "REFL"},
    "Tense": {"Fut": "FUT", "Imp": "IPFV", "Past": "PST", "Pqp": "PST+PRF", "Pres": "PRS"},
    "VerbForm": {
        "Conv": "V.CVB",
        "Fin": "FIN",
        "Gdv": "V.CVB",
        "Ger": "V.MSDR",
        "Inf": "NFIN",
        "Part": "V.PTCP",
        "Sup": "V.CVB",
        "Vnoun": "V.MSDR",
    },
    "Voice": {"Act": "ACT", "Cau": "CAUS", "Mid": "MID", "Pass": "PASS"},
}
FEATURE_TABLE: Dict[Tuple[str, str], Tuple[str, ...]] = {
    (attribute, value): tuple(features.split())
    for attribute, values in _FEATURE_TABLE.items()
    for value, features in values.items()
}

POSSESSED = "PSSD"
# Layer of UD's `Person[...]` and `Number[...]` -> prefix of the UniMorph feature that both melt
# into.
LAYERS: Dict[str, str] = {"psor": "PSS", "abs": "ARGAB", "dat": "ARGDA", "erg": "ARGER"}
LAYER_PERSONS: FrozenSet[str] = frozenset("0123")
LAYER_NUMBERS: Dict[str, str] = {"Sing": "S", "Dual": "D", "Plur": "P"}


def unimorph_features(upos: str, feats: Mapping[str, str]) -> FrozenSet[str]:
    """
    The UniMorph features of UD's UPOS and FEATS, the part of speech among them if UniMorph has it.

    # Parameters

    upos : `str`
        A UD part of speech; others have no counterpart.
    feats : `Mapping[str, str]`
        UD attributes with their values as written (`{"Case": "Acc,Dat"}`).
    """
    features = {POS_TABLE[upos]} if upos in POS_TABLE else set()
    for attribute, value in feats.items():
        features.update(_of_value(attribute, value.split(",")))
    for layer, prefix in LAYERS.items():
        feature = _of_layer(prefix, feats.get(f"Person[{layer}]"), feats.get(f"Number[{layer}]"))
        if feature is not None:
            features.add(feature)
    return frozenset(features)


def _of_value(attribute: str, values: List[str]) -> Tuple[str, ...]:
    alternatives = {
        FEATURE_TABLE[attribute, value] for value in values if (attribute, value) in FEATURE_TABLE
    }
    if len(alternatives) > 1:
        return (alternatives_feature("+".join(features) for features in alternatives),)
    return alternatives.pop() if alternatives else ()


def alternatives_feature(features: Iterable[str]) -> str:
    """UniMorph's spelling of "one of these": `{ACC/DAT}`."""
    return "{" + "/".join(sorted(features)) + "}"


def _of_layer(prefix: str, person: Optional[str], number: Optional[str]) -> Optional[str]:
    if prefix == "PSS" and person == "None":
        # Hungarian marks a noun without possessor explicitly; the conversion takes it for a
        # possessed one.
        return POSSESSED
    suffix = (person if person in LAYER_PERSONS else "") + LAYER_NUMBERS.get(number or "", "")
    return prefix + suffix if suffix else None
