"""A user's lexicon: which lemmas and tags forms can have, as UniMorph's TSV or another treebank lists them."""

from typing import Iterator

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.lossless_tags import LANGUAGE_SPECIFIC
from allennlp_svae.data.sentence import Triple, triples_of
from allennlp_svae.data.tag import UD_POS, MorphTag
from allennlp_svae.data.tagsets import tagset as tagset_named
from allennlp_svae.data.treebank import read_sentences, resolve


def read_lexicon(path: str, tagset: str) -> Iterator[Triple]:
    """
    The entries of a lexicon in their order, their tags in the tagset; an entry may come twice.

    # Parameters

    path : `str`
        A UniMorph file (`.tsv`), whose tags may be UniMorph's (`N;ACC;SG`) or UD's (`NOUN;Case=Acc;Number=Sing`), or
        an annotated CoNLL-U file.
    tagset : `str`
        `paper`, `lossless` or `ud`.

    # Raises

    `DataError` where a line cannot be read, or no word has a lemma and a tag.
    """
    # A treebank's annotation is read in the tagset; what a UniMorph file has is as somebody wrote it.
    in_any_notation = resolve(path).is_unimorph
    is_empty = True
    for entry in triples_of(read_sentences(path, tagset)):
        yield entry._replace(tag=in_tagset(entry.tag, tagset)) if in_any_notation else entry
        is_empty = False
    if is_empty:
        raise DataError(
            "The lexicon lists nothing: no word has a lemma and a tag.",
            path,
            remedy="name a file of lemma, form and features (`weep<TAB>wept<TAB>V;PST`).",
        )


def in_tagset(tag: MorphTag, tagset: str) -> MorphTag:
    """
    A tag of UD's notation, of `lossless` or of UniMorph in the tagset. UniMorph says less than UD: of several UD
    readings it becomes the most usual one.
    """
    notation = _notation(tag)
    # UniMorph has features that no reading in UD gives back.
    if notation == "paper" and tagset != "ud":
        return tag
    return tagset_named(tagset).encode(*tagset_named(notation).decode(tag))


def _notation(tag: MorphTag) -> str:
    """The tagset that writes tags so; a mere `CONJ` is UniMorph's, not UD 1's."""
    if any(feature.startswith(LANGUAGE_SPECIFIC) for feature in tag.features):
        return "lossless"
    is_ud = tag.pos in UD_POS and all("=" in feature for feature in tag.features)
    return "ud" if is_ud and tag != MorphTag("CONJ") else "paper"
