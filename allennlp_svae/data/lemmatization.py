"""
A word to be lemmatized as an inflection the other way round: from its form, and its tag, to the lemma.

A capital at its beginning may be the word's own or that of its place. The form is therefore put in lower case, and
that it was not is told beside the tag: first in its sentence, or anywhere else.
"""

from typing import Iterator, List, NamedTuple, Sequence

from allennlp_svae.data.casing import lower_case
from allennlp_svae.data.sentence import Sentence, Triple
from allennlp_svae.data.tag import MorphTag

CAPITAL_AT_THE_BEGINNING, CAPITAL_WITHIN = CAPITALS = ("Capital=Initial", "Capital=Within")


class Source(NamedTuple):
    """What a lemma is made from, beside the tag: the form, and the capital that it had, one of `CAPITALS` or none."""

    text: str
    capital: str

    def beside(self, tag: MorphTag) -> MorphTag:
        """The tag, with the capital."""
        return MorphTag(tag.pos, tag.features | {self.capital}) if self.capital else tag


def sources(forms: Sequence[str], dotted: bool = False) -> List[Source]:
    """
    For each word of a sentence what it is lemmatized from. A word of more than one capital stays as it is.

    # Parameters

    forms : `Sequence[str]`
    dotted : `bool`, optional (default = `False`)
        Whether `i` is the lower case of `İ` alone, and `ı` that of `I`.
    """
    found: List[Source] = []
    is_begun = False
    for form in forms:
        text = decapitalized(form, dotted)
        capital = CAPITAL_WITHIN if is_begun else CAPITAL_AT_THE_BEGINNING
        found.append(Source(text, capital if text != form else ""))
        is_begun = is_begun or any(map(str.isalpha, form))
    return found


def lemmatizations(sentence: Sentence, dotted: bool = False) -> Iterator[Triple]:
    """The words that have a lemma and a tag, as inflections: the lemma as `form` of what it is made from."""
    for token, source in zip(sentence.tokens, sources(sentence.forms, dotted), strict=True):
        if token.lemma and token.tag is not None:
            yield Triple(form=token.lemma, lemma=source.text, tag=source.beside(token.tag))


def decapitalized(form: str, dotted: bool = False) -> str:
    """In lower case, unless a capital comes after the first character."""
    first, rest = form[:1], form[1:]
    if rest != rest.lower():
        return form
    return lower_case(first, "ı" if dotted else "i") + rest
