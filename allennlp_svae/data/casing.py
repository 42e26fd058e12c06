"""
Capitals at the beginning of a sentence are context, not inflection: a form is written in lower case and
then capitalized or not.

Only the first character counts, and only where the lemma's is lower case. In Turkish and its relatives `i` and `İ`
are a pair, and `ı` and `I`: see `has_dotted_i`.
"""

import sys
from enum import IntEnum
from functools import lru_cache
from typing import Dict, Iterable, List, NamedTuple

DOTTED_CAPITAL = "İ"
# Upper and lower case of the Turkish i's, which `str.lower` does not know.
TURKISH_PAIRS = (frozenset("İi"), frozenset("Iı"))
# What share of the words has ı or İ in a language of which they are letters: three in ten of Turkish, and in others
# hardly one in a thousand, a name.
TURKISH_SHARE = 0.02


class Casing(IntEnum):
    AS_WRITTEN = 0
    CAPITALIZED = 1


class Reading(NamedTuple):
    """A form as a casing of what was inflected."""

    casing: Casing
    base: str


def has_dotted_i(words: Iterable[str]) -> bool:
    """
    Whether the words, distinct ones, are of a language that tells `i` and `İ` from `ı` and `I`. A Turkish name in a
    text does not make it Turkish.
    """
    has_letter = ["ı" in word or DOTTED_CAPITAL in word for word in words]
    return sum(has_letter) > TURKISH_SHARE * len(has_letter)


def can_be_capitalized(lemma: str) -> bool:
    """Whether a form of this lemma has a casing to choose: the lemma begins in lower case."""
    return lemma[:1].islower()


def capitalize(word: str, dotted: bool = False) -> str:
    """
    # Parameters

    word : `str`
    dotted : `bool`, optional (default = `False`)
        Whether `i` becomes `İ`.
    """
    return _upper(word[:1], dotted) + word[1:]


def apply_casing(casing: Casing, base: str, dotted: bool = False) -> str:
    return capitalize(base, dotted) if casing == Casing.CAPITALIZED else base


def readings(form: str, lemma: str, dotted: bool = False) -> List[Reading]:
    """
    Every casing and base of which this is the form.

    # Parameters

    form, lemma : `str`
    dotted : `bool`, optional (default = `False`)
        As in `capitalize`.
    """
    as_written = [Reading(Casing.AS_WRITTEN, form)]
    if not can_be_capitalized(lemma):
        return as_written
    first, rest = form[:1], form[1:]
    return as_written + [
        Reading(Casing.CAPITALIZED, before + rest) for before in _capitalized_from(first, dotted)
    ]


def likely_reading(form: str, lemma: str, dotted: bool = False) -> Reading:
    """
    Capitalized, if the form begins with the capital of a lower-case character (the lemma's own, where
    there are several); else as written.
    """
    lower = [
        reading
        for reading in readings(form, lemma, dotted)
        if reading.casing == Casing.CAPITALIZED and reading.base != form
    ]
    if not lower:
        return Reading(Casing.AS_WRITTEN, form)
    plain = form[0].lower()
    return min(lower, key=lambda reading: (reading.base[0] != lemma[0], reading.base[0] != plain))


def lower_case(text: str, i: str) -> str:
    """As long as `text`: the capital I becomes what `i` says, `i` or `ı`, and the dotted one `i`."""
    return text.replace(DOTTED_CAPITAL, "i").replace("I", i).lower()


def _upper(character: str, dotted: bool) -> str:
    if dotted and character == "i":
        return DOTTED_CAPITAL
    upper = character.upper()
    # `ß`, and ligatures, have no capital of one character.
    return upper if len(upper) == 1 else character


def _capitalized_from(character: str, dotted: bool) -> List[str]:
    """What becomes this character when capitalized, possibly itself."""
    candidates = [character, *_lower_cases().get(character, [])]
    if character == DOTTED_CAPITAL:
        candidates.append("i")
    return [before for before in candidates if _upper(before, dotted) == character]


@lru_cache(maxsize=1)
def _lower_cases() -> Dict[str, List[str]]:
    """For each capital, the characters of which it is one: `K` is that of `k`, `S` of `s` and `ſ`."""
    table: Dict[str, List[str]] = {}
    for character in map(chr, range(sys.maxunicode + 1)):
        upper = character.upper()
        if upper != character and len(upper) == 1:
            table.setdefault(upper, []).append(character)
    return table


def differ_in_case(first: str, second: str) -> bool:
    """Whether two strings differ, but in upper and lower case alone; `İ`/`i` and `I`/`ı` count."""
    if first == second:
        return False
    return first.lower() == second.lower() or (
        len(first) == len(second) and all(map(_same_letter, first, second))
    )


def _same_letter(first: str, second: str) -> bool:
    return first.lower() == second.lower() or frozenset((first, second)) in TURKISH_PAIRS
