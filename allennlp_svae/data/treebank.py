"""
Sentences from a data path. A path names a file (CoNLL-U, UniMorph TSV, plain text) or a treebank's
folder and a split, and may name a portion of it:

- `#labeled`: the first `labeled_tokens` tokens, finishing the sentence (paper, section 7.1)
- `#held_out`: the last `held_out` of the sentences
- `#unlabeled`: what lies between, its annotation not read
- `#raw`: all of it, the annotation not read
"""

import glob
import logging
import os
from itertools import islice
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional, Tuple

from allennlp_svae.data.conllu_format import (
    SentenceBlock,
    read_blocks,
    to_raw_sentence,
    to_sentence,
)
from allennlp_svae.data.errors import DataError
from allennlp_svae.data.plain_text import read_text
from allennlp_svae.data.sentence import Sentence
from allennlp_svae.data.tagsets import tagset as tagset_named
from allennlp_svae.data.text_file import COMPRESSED
from allennlp_svae.data.unimorph_tsv import entry_sentence, raw_entry_sentence, read_entries

logger = logging.getLogger(__name__)

# Files of a folder that an error message lists at most.
_LISTED = 20
PORTIONS = ("labeled", "unlabeled", "held_out", "raw")


class _Format(NamedTuple):
    """
    How a kind of file is read: first in pieces, one a sentence, of which nothing is interpreted,
    then each piece with its annotation or without.
    """

    pieces: Callable[[str], Iterator[Any]]
    annotated: Callable[[Any, str, str], Sentence]
    raw: Callable[[Any, str], Sentence]


_CONLLU = _Format(
    read_blocks,
    lambda block, path, tagset: to_sentence(block, tagset),
    lambda block, path: to_raw_sentence(block),
)
_TSV = _Format(
    read_entries,
    lambda line, path, tagset: entry_sentence(line, path),
    raw_entry_sentence,
)
_TEXT = _Format(
    read_text,
    lambda sentence, path, tagset: sentence,
    lambda sentence, path: sentence,
)
_FORMATS: Dict[str, _Format] = {
    ".conllu": _CONLLU,
    ".conll": _CONLLU,
    ".tsv": _TSV,
    ".txt": _TEXT,
}


def read_sentences(
    path: str,
    tagset: str = "paper",
    labeled_tokens: Optional[int] = None,
    held_out: float = 0.0,
) -> Iterator[Sentence]:
    """
    The sentences of a data path, one at a time: memory does not grow with the file.

    # Parameters

    path : `str`
        A file, or a treebank's folder and a split (`UD_Latin/train` is `UD_Latin/train.conllu` or
        the one `UD_Latin/*-ud-train.conllu`), with a portion or without; see the module's
        description. A file whose own name ends like a portion is read as a whole.
    tagset : `str`, optional (default = `"paper"`)
        `paper`, `lossless` or `ud`: the tags that UPOS and FEATS are turned into.
    labeled_tokens : `int`, optional (default = `None`)
        How many tokens `#labeled` takes, finishing the sentence. If `None`, or more than there are,
        it takes all that is not held out.
    held_out : `float`, optional (default = `0.0`)
        The fraction of the file's sentences, at its end, that `#held_out` takes: rounded, and at
        least one sentence unless the fraction is 0.

    # Raises

    `DataError` at once where the path cannot be resolved or the portions overlap, and while reading
    where the file is malformed.
    """
    tagset_named(tagset)
    source = resolve(path)
    chosen = _pieces(source, labeled_tokens, held_out)
    form = _format_of(source)
    if source.portion in ("unlabeled", "raw"):
        return (form.raw(piece, source.file) for piece in chosen)
    return (form.annotated(piece, source.file, tagset) for piece in chosen)


def sentence_blocks(
    path: str, labeled_tokens: Optional[int] = None, held_out: float = 0.0
) -> Iterator[SentenceBlock]:
    """
    The sentences of a data path to CoNLL-U as they are written; parameters as for `read_sentences`.

    # Raises

    `DataError` as `read_sentences`.
    """
    return _pieces(resolve(path), labeled_tokens, held_out)


class Source(NamedTuple):
    """What a data path means."""

    file: str
    portion: Optional[str]

    @property
    def suffix(self) -> str:
        """That of the file, in lower case."""
        return os.path.splitext(self.file)[1].lower()

    @property
    def is_conllu(self) -> bool:
        return _FORMATS.get(self.suffix) is _CONLLU

    @property
    def is_unimorph(self) -> bool:
        """Whether it is all of a UniMorph file, whose lines are inflections rather than sentences."""
        return _FORMATS.get(self.suffix) is _TSV and self.portion is None


def _pieces(source: Source, labeled_tokens: Optional[int], held_out: float) -> Iterator[Any]:
    """Those of the portion, as the format has them."""
    form = _format_of(source)
    pieces = form.pieces(source.file)
    if source.portion not in ("labeled", "unlabeled", "held_out"):
        return pieces
    sizes = (len(form.raw(piece, source.file)) for piece in form.pieces(source.file))
    bounds = _bounds(source.portion, sizes, labeled_tokens, held_out, source.file)
    return islice(pieces, *bounds)


def _format_of(source: Source) -> _Format:
    if source.suffix in (".json", ".jsonl"):
        raise DataError(
            "JSON lines are no treebank.",
            source.file,
            remedy="give them to `allennlp predict`, without --use-dataset-reader.",
        )
    if source.suffix not in _FORMATS:
        names = f"give it a name that ends in one of {', '.join(_FORMATS)}"
        raise DataError(
            f"The suffix {source.suffix!r} names no format.",
            source.file,
            remedy=f"unpack the file and {names}." if source.suffix in COMPRESSED else f"{names}.",
        )
    return _FORMATS[source.suffix]


def _bounds(
    portion: str,
    sizes: Iterator[int],
    labeled_tokens: Optional[int],
    held_out: float,
    path: str,
) -> Tuple[int, Optional[int]]:
    """The first sentence of a portion and the one after its last (`None` for the file's end)."""
    if not 0.0 <= held_out < 1.0:
        raise DataError(
            f"held_out is {held_out}.",
            path,
            remedy="give the fraction as a number from 0 to below 1.",
        )
    if labeled_tokens is not None and labeled_tokens < 0:
        raise DataError(f"labeled_tokens is {labeled_tokens}.", path, remedy="give at least 0.")
    if portion == "held_out" and held_out == 0.0:
        raise DataError("No part of the file is held out.", path, remedy="set held_out, as to 0.1.")
    labeled = sentences = tokens = 0
    for size in sizes:
        if labeled_tokens is None or tokens < labeled_tokens:
            tokens += size
            labeled += 1
        elif held_out == 0.0:
            # Without a held-out part nothing depends on where the file ends.
            return (0, labeled) if portion == "labeled" else (labeled, None)
        sentences += 1
    unlabeled_end = sentences - (max(1, round(held_out * sentences)) if held_out else 0)
    if labeled_tokens is None:
        labeled = unlabeled_end
    elif labeled > unlabeled_end:
        raise DataError(
            f"The first {labeled_tokens} tokens reach into the held-out sentences, "
            f"the last {sentences - unlabeled_end} of {sentences}.",
            path,
            remedy="lower labeled_tokens, or set it to null for all before them.",
        )
    elif tokens < labeled_tokens:
        logger.warning(
            "%s holds %d tokens, not %d: all are labelled.", path, tokens, labeled_tokens
        )
    if portion == "labeled":
        return 0, labeled
    if portion == "unlabeled":
        return labeled, unlabeled_end
    return unlabeled_end, None


def resolve(path: str) -> Source:
    """
    The file that a data path means, and its portion.

    # Raises

    `DataError` where there is no such file or portion.
    """
    if os.path.isfile(path):
        return Source(path, None)
    name, mark, portion = path.rpartition("#")
    if not mark or os.sep in portion:
        return Source(_file(path), None)
    if portion not in PORTIONS:
        raise DataError(
            f"There is no such file, and no portion {portion!r}.",
            path,
            remedy=f"use one of {', '.join('#' + each for each in PORTIONS)}.",
        )
    return Source(_file(name), portion)


def _file(path: str) -> str:
    if os.path.isfile(path):
        return path
    folder, split = os.path.split(path)
    if os.path.isdir(path):
        raise DataError(
            "This is a folder.", path, remedy=f"name a split of it: {os.path.join(path, 'train')}."
        )
    if os.path.isfile(folder):
        raise DataError(
            f"{folder} is a file, not a folder.",
            path,
            remedy="name its folder, or a file whose name ends in .conllu.",
        )
    if os.path.splitext(split)[1].lower() in _FORMATS or not os.path.isdir(folder or os.curdir):
        raise DataError("There is no such file or folder.", path, remedy="check the path.")
    plain = f"{path}.conllu"
    found = [plain] if os.path.isfile(plain) else []
    found = found or sorted(
        glob.glob(f"{os.path.join(glob.escape(folder), '*-ud-')}{glob.escape(split)}.conllu")
    )
    if len(found) == 1:
        return found[0]
    present = ", ".join(sorted(os.listdir(folder or os.curdir))[:_LISTED]) or "nothing"
    without = "; without training data, set dev_as_train" if split == "train" else ""
    raise DataError(
        f"{len(found)} files match the split {split!r}; in the folder: {present}."
        if found
        else f"There is no such file, and no split {split!r}; in the folder: {present}.",
        path,
        remedy=f"name the file itself, or have one *-ud-{split}.conllu or a {split}.conllu there{without}.",
    )
