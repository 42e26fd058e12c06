"""
Inflections that nobody annotated, made from those that somebody did: stems hallucinated in their
environment, cells filled by analogy, words that are copied, and tags with features left out.

Hallucination (Anastasopoulos and Neubig, 2019) puts another stem in place of what lemma and form share.
Random letters break what the affixes hang on: vowel harmony, voicing, length. So, as in Liu and Hulden
(2021), the new stem is made of pieces of words, and what is exchanged is a beginning only: the stem's last
characters stay, its last vowel among them; a beginning is only put before characters that it was
seen before; and a stem of one syllable remains one. An analogy asks for the same environment.
"""

import random
from collections import Counter, defaultdict
from itertools import pairwise, takewhile
from typing import Dict, FrozenSet, Iterable, List, NamedTuple, Sequence, Set, Tuple

from allennlp_svae.data.casing import Casing, apply_casing, likely_reading
from allennlp_svae.data.edit_actions import COPY, edit_actions
from allennlp_svae.data.sentence import Triple
from allennlp_svae.data.tag import MorphTag

# How many of a stem's last characters stay, at least: the first for which there is a stem to be had.
TAIL_LENGTHS = (3, 2)
# No tagset has it, so no vocabulary of real data does: models that ignore unknown parts see no tag.
COPY_TAG = MorphTag("COPY")


class Cut(NamedTuple):
    """An inflection cut before its first edit, casing aside."""

    stem: str
    lemma_rest: str
    form_rest: str
    casing: Casing


def cut(triple: Triple, dotted: bool = False) -> Cut:
    """
    # Parameters

    triple : `Triple`
    dotted : `bool`, optional (default = `False`)
        Whether `İ` is the capital of `i`; see `has_dotted_i`.
    """
    casing, base = likely_reading(triple.form, triple.lemma, dotted)
    copied = takewhile(COPY.__eq__, edit_actions(triple.lemma, base))
    length = sum(1 for _ in copied)
    return Cut(triple.lemma[:length], triple.lemma[length:], base[length:], casing)


def vowels(words: Iterable[str]) -> FrozenSet[str]:
    """
    The lower-case vowels of an unknown alphabet by Sukhotin's algorithm (1962): vowels stand beside
    consonants more often than beside vowels.
    """
    beside: Dict[str, Dict[str, int]] = defaultdict(Counter)
    for word in set(words):
        for left, right in pairwise(word.lower()):
            if left != right and left.isalpha() and right.isalpha():
                beside[left][right] += 1
                beside[right][left] += 1
    surplus = {letter: sum(counts.values()) for letter, counts in beside.items()}
    found = set()
    while surplus:
        # The letter itself last, so that the choice does not hang on the order of the words.
        best = max(surplus, key=lambda letter: (surplus[letter], letter))
        if surplus.pop(best) <= 0:
            break
        found.add(best)
        for letter, count in beside[best].items():
            if letter in surplus:
                surplus[letter] -= 2 * count
    return frozenset(found)


class Stems:
    """
    Which stems may stand in for which.

    # Parameters

    words : `Iterable[str]`
        What beginnings are taken from. Those that do not consist of letters are left aside.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = sorted({word for word in words if word.isalpha()})
        self._vowels = vowels(self._words)
        self._found: Dict[str, List[str]] = {}

    def in_place_of(self, stem: str) -> List[str]:
        """
        Other beginnings before the same tail, the longest for which there are any. None where the stem
        has no vowel or is no string of letters.
        """
        if stem not in self._found:
            alternatives: List[str] = []
            for tail in self.tails(stem):
                alternatives = alternatives or self._before(tail, stem)
            self._found[stem] = alternatives
        return self._found[stem]

    def tails(self, stem: str) -> List[str]:
        """The ends of the stem that may stay when the rest is exchanged, longest first."""
        if not stem.isalpha():
            return []
        last_vowel = max((i for i in range(len(stem)) if self._has_vowel(stem[i])), default=-1)
        starts = [min(len(stem) - length, last_vowel) for length in TAIL_LENGTHS]
        return [stem[start:] for start in dict.fromkeys(starts) if start >= 0]

    def alike(self, one: str, other: str, tail: str) -> bool:
        """
        Whether two strings that end in the tail agree in what affixes may hang on beside it: whether
        there is a syllable before it, and whether the first letter is a capital.
        """
        return self._surroundings(one, tail) == self._surroundings(other, tail)

    def _surroundings(self, stem: str, tail: str) -> Sequence[bool]:
        return self._has_vowel(stem[: len(stem) - len(tail)]), stem[0].isupper()

    def _has_vowel(self, text: str) -> bool:
        return not self._vowels.isdisjoint(text.lower())

    def _before(self, tail: str, stem: str) -> List[str]:
        found = {
            word[: start + len(tail)]
            for word in self._words
            for start in _occurrences(tail, word)
            if self.alike(word[: start + len(tail)], stem, tail)
        }
        return sorted(found - {stem})


def _occurrences(part: str, word: str) -> List[int]:
    if part not in word:  # as most are not
        return []
    return [start for start in range(len(word)) if word.startswith(part, start)]


def hallucinated(
    triples: Sequence[Triple],
    stems: Stems,
    count: int,
    rng: random.Random,
    dotted: bool = False,
) -> List[Triple]:
    """
    Labelled inflections with another stem: what lemma and form do after it, and the casing, are the same.
    Where forms begin with a prefix, they have no stem in this sense.

    # Parameters

    triples : `Sequence[Triple]`
        Distinct and labelled.
    stems : `Stems`
    count : `int`
        How many are tried; one whose stem has no alternative, or whose lemma and tag are labelled, is
        left out.
    rng : `random.Random`
    dotted : `bool`, optional (default = `False`)
        As for `cut`.
    """
    if not triples:
        return []
    labeled = {(triple.lemma, triple.tag) for triple in triples}
    made = []
    for source in rng.choices(triples, k=count):
        stem, lemma_rest, form_rest, casing = cut(source, dotted)
        alternatives = stems.in_place_of(stem)
        if not alternatives:
            continue
        other = rng.choice(alternatives)
        form = apply_casing(casing, other + form_rest, dotted)
        if (other + lemma_rest, source.tag) not in labeled:
            made.append(Triple(form, other + lemma_rest, source.tag))
    return made


def analogies(triples: Sequence[Triple], stems: Stems, dotted: bool = False) -> List[Triple]:
    """
    Cells of labelled lexemes that are not labelled: ℓ' under m, where it ends as a lemma ℓ of the same part
    of speech that is labelled under m, in a tail of the stem and what comes after it. The form is what
    ℓ's own makes of it, in lower case; where labelled forms disagree on it, the cell stays empty.
    """
    labeled = {(triple.lemma, triple.tag) for triple in triples}
    lexemes: Dict[str, Dict[str, None]] = defaultdict(dict)
    for triple in triples:
        lexemes[triple.tag.pos][triple.lemma] = None
    cells: Dict[Tuple[str, MorphTag], Set[str]] = defaultdict(set)
    for source in triples:
        stem, lemma_rest, form_rest, _ = cut(source, dotted)
        # Whatever ends in a longer tail also ends in the shortest.
        for tail in stems.tails(stem)[-1:]:
            for lemma in lexemes[source.tag.pos]:
                other = lemma.removesuffix(lemma_rest)
                if (
                    lemma.endswith(tail + lemma_rest)
                    and (lemma, source.tag) not in labeled
                    and stems.alike(other, stem, tail)
                ):
                    cells[lemma, source.tag].add(other + form_rest)
    return [
        Triple(form, lemma, tag)
        for (lemma, tag), forms in cells.items()
        if len(forms) == 1
        for form in forms
    ]


def citations(triples: Sequence[Triple], dotted: bool = False) -> List[Triple]:
    """
    ⟨ℓ, ℓ, m⟩ for each labelled lemma and each tag m of its part of speech that is one of citation forms and
    under which the lemma is not labelled.
    """
    labeled = {(triple.lemma, triple.tag) for triple in triples}
    lexemes = dict.fromkeys((triple.lemma, triple.tag.pos) for triple in triples)
    tags = citation_tags(triples, dotted)
    return [
        Triple(lemma, lemma, tag)
        for lemma, pos in lexemes
        for tag in tags
        if tag.pos == pos and (lemma, tag) not in labeled
    ]


def citation_tags(triples: Sequence[Triple], dotted: bool = False) -> List[MorphTag]:
    """
    The tags of more than one labelled lemma whose every form is the lemma, casing aside, in order of
    first occurrence.
    """
    lemmas: Dict[MorphTag, Set[str]] = defaultdict(set)
    inflecting = set()
    for triple in triples:
        lemmas[triple.tag].add(triple.lemma)
        if likely_reading(triple.form, triple.lemma, dotted).base != triple.lemma:
            inflecting.add(triple.tag)
    return [tag for tag in lemmas if tag not in inflecting and len(lemmas[tag]) > 1]


def copies(words: Sequence[str], count: int, rng: random.Random) -> List[Triple]:
    """`count` words, drawn with replacement, that are their own lemma under `COPY_TAG`."""
    return [Triple(word, word, COPY_TAG) for word in (rng.choices(words, k=count) if words else [])]


def without_features(tag: MorphTag, probability: float, rng: random.Random) -> MorphTag:
    """The tag with each of its features left out with this probability; the part of speech stays."""
    # In order, since that of a set differs from process to process.
    return MorphTag.of(
        tag.pos, [one for one in sorted(tag.features) if rng.random() >= probability]
    )
