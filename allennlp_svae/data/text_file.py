"""Reading a text file line by line, so that every complaint about it can name the line, and writing none over."""

import bz2
import gzip
import lzma
import os
import zlib
from typing import Any, BinaryIO, Callable, Dict, Iterable, Iterator, NamedTuple

from allennlp_svae.data.errors import DataError

_BYTE_ORDER_MARK = "\ufeff"
COMPRESSED: Dict[str, Callable[..., Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".lzma": lzma.open,
}
# What unpacking a damaged file raises.
DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError)


class Line(NamedTuple):
    """A line of a file, counted from 1, without its end-of-line characters."""

    number: int
    text: str


def read_lines(path: str) -> Iterator[Line]:
    """
    The lines of a UTF-8 file, one at a time. Only LF and CRLF end a line: other characters that
    Unicode counts as line breaks (U+2028, U+0085) do occur in the corpora. A byte order mark is
    passed over, and a file that is compressed, which its suffix says, is unpacked.

    # Raises

    `DataError` where there is no such file, where it cannot be unpacked, or where a line is not UTF-8 or holds
    a NUL.
    """
    if not os.path.exists(path) or os.path.isdir(path):
        raise DataError(
            "There is a folder of this name, but no file."
            if os.path.isdir(path)
            else "There is no such file.",
            path,
            remedy="check the path; paths are relative to the folder that the command runs in.",
        )
    opened = COMPRESSED.get(os.path.splitext(path)[1], open)
    with opened(path, "rb") as file:
        yield from decoded(file if opened is open else _unpacked(file, path), path)


def _unpacked(file: BinaryIO, path: str) -> Iterator[bytes]:
    try:
        yield from file
    except DAMAGED as error:
        raise DataError(
            f"The file cannot be unpacked: {error}",
            path,
            remedy="check that it is whole and packed as its suffix says.",
        ) from error


def decoded(raw_lines: Iterable[bytes], name: str) -> Iterator[Line]:
    """What `read_lines` makes of the lines of a file, or of something else that has this name in messages."""
    for number, raw in enumerate(raw_lines, start=1):
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise DataError(
                f"The line is not UTF-8 (byte {error.start + 1} of it).",
                name,
                number,
                "convert the file to UTF-8, for example with iconv.",
            ) from None
        if "\0" in text:
            raise DataError(
                "The line holds a NUL character, as no text does.",
                name,
                number,
                "convert the file to UTF-8 if it is UTF-16 or another encoding; if not, take it out.",
            )
        if number == 1:
            text = text.removeprefix(_BYTE_ORDER_MARK)
        yield Line(number, text.removesuffix("\n").removesuffix("\r"))


def check_new(path: str, option: str) -> None:
    """
    Before the work is done, that what it gives can be kept and nothing is lost.

    # Raises

    `DataError` where something has this name, or there is no folder for it; `option` is where the user gave it.
    """
    if not path:
        raise DataError(f"{option} is empty.", remedy="name a file, or leave it out.")
    if os.path.lexists(path):
        raise DataError(
            "It exists and is left as it is.",
            path,
            remedy=f"name another {option}, or remove this one.",
        )
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise DataError(
            f"There is no folder for {option}.", folder, remedy="create it, or name another."
        )
