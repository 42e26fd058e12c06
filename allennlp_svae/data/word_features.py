"""
What a tagger sees of a word in its sentence, as strings: the templates of MarMoT (Müller, Schmid &
Schütze 2013, section 4), with case folded and with affixes of frequent words too. Long prefixes and the
neighbours' suffixes are left out: they cost 1 to 2 points of tag accuracy at 500 and 1000 tokens.
Two and three characters anywhere in the word tell its part of speech, 1 to 2 points at 500 tokens, but cost half
a point of tag accuracy and 1 of tag and lemma together.
"""

from functools import lru_cache
from typing import List, Sequence, Tuple

# MarMoT's own limit for rare words.
MAX_AFFIX = 10
# Prefixes that inflect are short.
MAX_PREFIX = 3
OUTSIDE = "\x02"
# How many of a word's last characters `endings` takes.
ENDING_LENGTHS = (2, 3, 4, 5)


def word_features(forms: Sequence[str]) -> List[List[str]]:
    """
    The features of each word of a sentence, in a fixed order, without line ends.

    # Parameters

    forms : `Sequence[str]`
        The words of one sentence.
    """
    folded = [fold(form) for form in forms]
    padded = [OUTSIDE, OUTSIDE, *folded, OUTSIDE, OUTSIDE]
    features = []
    for position, form in enumerate(forms, start=2):
        before2, before, word, after, after2 = padded[position - 2 : position + 3]
        first = "^" if before == OUTSIDE else ""
        features.append(
            [
                *own_features(form),
                f"c{first}={_casing(form)}",
                f"-1={before}",
                f"+1={after}",
                f"-2={before2}",
                f"+2={after2}",
                f"-1,0={before} {word}",
                f"0,+1={word} {after}",
            ]
        )
    return features


@lru_cache(maxsize=65536)
def own_features(form: str) -> Tuple[str, ...]:
    """The features that a word has in any context."""
    form = one_line(form)
    word = fold(form)
    suffixes = range(1, min(len(word), MAX_AFFIX) + 1)
    prefixes = range(1, min(len(word), MAX_PREFIX) + 1)
    return (
        "1",
        f"f={form}",
        f"w={word}",
        f"x={shape(form)}",
        *(f"p={word[:length]}" for length in prefixes),
        *(f"s={word[-length:]}" for length in suffixes),
    )


def shape(form: str) -> str:
    """Which kinds of characters follow each other: `Xx` for `Paris`, `d.d` for `3.14`."""
    if form.isalpha():
        if form.islower():
            return "x"
        if form[0].isupper() and form[1:].islower():
            return "Xx"
    kinds: List[str] = []
    for char in form:
        kind = (
            "d"
            if char.isdigit()
            else "X"
            if char.isupper()
            else "x"
            if char.isalpha()
            else one_line(char)
        )
        if not kinds or kinds[-1] != kind:
            kinds.append(kind)
    return "".join(kinds)


def fold(form: str) -> str:
    """
    The form in lower case, on one line. A dotted capital I becomes a plain i, as both the Turkish and
    the English reader expect; `str.lower` would leave a combining dot.
    """
    if form.islower() and form.isprintable():
        return form
    return one_line(form).replace("İ", "i").lower()


def endings(word: str) -> List[str]:
    """
    The last characters of a word, case folded, for each of `ENDING_LENGTHS`, with that length: a word that is shorter
    is not what longer ones of the same end are.
    """
    return [f"{length} {word[-length:]}" for length in ENDING_LENGTHS]


def _casing(form: str) -> str:
    if not form[:1].isupper():
        return "lower"
    return "capital" if form[1:] == form[1:].lower() else "capitals"


def one_line(text: str) -> str:
    """The text with line ends as spaces: a vocabulary is saved with a feature a line."""
    if text.isprintable():
        return text
    return text.replace("\n", " ").replace("\r", " ")
