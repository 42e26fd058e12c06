"""A user's lexicon: which lemmas and tags forms can have, as UniMorph's TSV or another treebank lists them."""

from typing import Iterator

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Triple, triples_of
from allennlp_svae.data.tag import UD_POS, MorphTag
from allennlp_svae.data.tagsets import tagset as tagset_named
from allennlp_svae.data.treebank import read_sentences


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
    is_empty = True
    for form, lemma, tag in triples_of(read_sentences(path, tagset)):
        yield Triple(form, lemma, in_tagset(tag, tagset))
        is_empty = False
    if is_empty:
        raise DataError(
            "The lexicon lists nothing: no word has a lemma and a tag.",
            path,
            remedy="name a file of lemma, form and features (`weep<TAB>wept<TAB>V;PST`).",
        )


def in_tagset(tag: MorphTag, tagset: str) -> MorphTag:
    """
    A tag of either notation in the tagset. UniMorph says less than UD: of several UD readings it becomes the most
    usual one.
    """
    if is_ud(tag):
        return tagset_named(tagset).encode(*tagset_named("ud").decode(tag))
    if tagset == "ud":
        return tagset_named("ud").encode(*tagset_named("paper").decode(tag))
    return tag


def is_ud(tag: MorphTag) -> bool:
    return tag.pos in UD_POS and all("=" in feature for feature in tag.features)
