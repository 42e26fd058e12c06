"""Columns of CoNLL-U that say what a word is, LEMMA, UPOS and FEATS, and MISC: their text and what it means."""

import logging
from functools import lru_cache
from typing import Dict, Mapping, Optional, Tuple

from conllu.models import Token as Row

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Token
from allennlp_svae.data.tag import UD_POS, MorphTag
from allennlp_svae.data.tagsets import tagset as tagset_named

logger = logging.getLogger(__name__)

NOTHING = "_"
# How UD documents characters that MISC cannot hold as they are.
_MISC_ESCAPES = {"\\": "\\\\", "|": "\\p", " ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def lemma_of(row: Row) -> Optional[str]:
    """`None` where it is missing. The lemma `_` is, unless it belongs to a word whose form is `_` too."""
    if row["lemma"] not in (NOTHING, ""):
        return row["lemma"]
    is_underscore = row["form"] == row["lemma"] and row["upos"] != NOTHING
    return NOTHING if is_underscore else None


def tag_of(row: Row, tagset: str, path: Optional[str], line: int) -> Optional[MorphTag]:
    """`None` where the word has no UPOS; raises `DataError` where UPOS or FEATS are malformed."""
    if row["upos"] in (NOTHING, ""):
        return None
    if row["upos"] not in UD_POS:
        _warn_of_pos(row["upos"], path)
    try:
        return _parse_tag(row["upos"], row["feats"], tagset)
    except ValueError as error:
        if isinstance(error, DataError):
            raise
        raise DataError(str(error), path, line, "mend UPOS and FEATS of this word.") from None


@lru_cache(maxsize=1000)
def _warn_of_pos(upos: str, path: Optional[str]) -> None:
    """Once for each; it may be meant."""
    logger.warning(
        f"{path}: {upos!r} in the column UPOS is none of UD's parts of speech ({', '.join(sorted(UD_POS))}): tags of "
        "other treebanks will not be like it."
    )


@lru_cache(maxsize=65536)
def _parse_tag(upos: str, feats: str, tagset: str) -> MorphTag:
    if ";" in upos or any(character.isspace() for character in upos):
        raise ValueError(f"The part of speech {upos!r} holds a semicolon or a space.")
    return tagset_named(tagset).encode(upos, parse_feats(feats))


def annotation_of(token: Token, tagset: str) -> Dict[str, str]:
    """The text of LEMMA, UPOS and FEATS."""
    upos, feats = (NOTHING, NOTHING) if token.tag is None else _format_tag(token.tag, tagset)
    return {"lemma": writable(token.lemma or NOTHING), "upos": upos, "feats": feats}


@lru_cache(maxsize=65536)
def _format_tag(tag: MorphTag, tagset: str) -> Tuple[str, str]:
    upos, feats = tagset_named(tagset).decode(tag)
    return upos, format_feats(feats)


def writable(text: str) -> str:
    """The text itself; raises `DataError` where it cannot be a form or lemma."""
    if not text or any(character in text for character in "\t\n\r\0"):
        raise DataError(
            f"CoNLL-U cannot hold {text!r} as a form or lemma.",
            remedy="leave out empty words, and replace tabs, line breaks and NUL.",
        )
    return text


def merge_misc(column: str, added: Mapping[str, str]) -> str:
    """MISC with attributes added to it, in place of those of the same name."""
    kept = [
        item
        for item in column.split("|")
        if item not in (NOTHING, "") and item.partition("=")[0] not in added
    ]
    return "|".join(
        kept + [f"{attribute}={escape_misc(value)}" for attribute, value in added.items()]
    )


def parse_feats(text: str) -> Dict[str, str]:
    """
    Reads `"Case=Acc|Number=Sing"`, or `"_"`.

    # Raises

    `ValueError` where it is malformed.
    """
    feats: Dict[str, str] = {}
    if text in (NOTHING, ""):
        return feats
    for feature in text.split("|"):
        attribute, _, value = feature.partition("=")
        if not attribute or not value:
            raise ValueError(f"The feature {feature!r} is not of the form Attribute=Value.")
        if ";" in feature or any(character.isspace() for character in feature):
            raise ValueError(f"The feature {feature!r} holds a semicolon or a space.")
        if attribute in feats:
            raise ValueError(f"The attribute {attribute!r} has two values; write them A=V,W.")
        feats[attribute] = value
    return feats


def format_feats(feats: Mapping[str, str]) -> str:
    """FEATS in UD's order of attributes; `"_"` if there are none."""
    ordered = sorted(feats.items(), key=lambda item: item[0].lower())
    return "|".join(f"{attribute}={value}" for attribute, value in ordered) or NOTHING


def escape_misc(text: str) -> str:
    """Any text as a value that MISC can hold."""
    return "".join(_MISC_ESCAPES.get(character, character) for character in text)
