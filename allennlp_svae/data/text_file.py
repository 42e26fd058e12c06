"""Reading a text file line by line, so that every complaint about it can name the line, and writing none over."""

import os
from typing import Iterator, NamedTuple

from allennlp_svae.data.errors import DataError

_BYTE_ORDER_MARK = "\ufeff"


class Line(NamedTuple):
    """A line of a file, counted from 1, without its end-of-line characters."""

    number: int
    text: str


def read_lines(path: str) -> Iterator[Line]:
    """
    The lines of a UTF-8 file, one at a time. Only LF and CRLF end a line: other characters that
    Unicode counts as line breaks (U+2028, U+0085) do occur in the corpora. A byte order mark is
    passed over.

    # Raises

    `DataError` where there is no such file, or where a line is not UTF-8.
    """
    if not os.path.isfile(path):
        raise DataError(
            "There is a folder of this name, but no file."
            if os.path.isdir(path)
            else "There is no such file.",
            path,
            remedy="check the path; paths are relative to the folder that the command runs in.",
        )
    with open(path, "rb") as file:
        for number, raw in enumerate(file, start=1):
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise DataError(
                    f"The line is not UTF-8 (byte {error.start + 1} of it).",
                    path,
                    number,
                    "convert the file to UTF-8, for example with iconv.",
                ) from None
            if number == 1:
                text = text.removeprefix(_BYTE_ORDER_MARK)
            yield Line(number, text.removesuffix("\n").removesuffix("\r"))


def check_new(path: str, option: str) -> None:
    """
    Before the work is done, that what it gives can be kept and nothing is lost.

    # Raises

    `DataError` where something has this name, or there is no folder for it; `option` is where the user gave it.
    """
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
