"""A user's lexicon: which lemmas and tags forms can have, as UniMorph's TSV lists them."""

from typing import Iterator

from allennlp_svae.data.sentence import Triple
from allennlp_svae.data.tag import UD_POS, MorphTag
from allennlp_svae.data.tagsets import tagset as tagset_named
from allennlp_svae.data.unimorph_tsv import read_triples


def read_lexicon(path: str, tagset: str) -> Iterator[Triple]:
    """
    The entries of a lexicon in their order, their tags in the tagset; an entry may come twice.

    # Parameters

    path : `str`
        A UniMorph file. Its tags may be UniMorph's (`N;ACC;SG`) or UD's (`NOUN;Case=Acc;Number=Sing`).
    tagset : `str`
        `paper`, `lossless` or `ud`.

    # Raises

    `DataError` where a line cannot be read or the file has none.
    """
    for form, lemma, tag in read_triples(path):
        yield Triple(form, lemma, in_tagset(tag, tagset))


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
