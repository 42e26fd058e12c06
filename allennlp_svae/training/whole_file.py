"""Files that are whole or not there, at whatever moment a run is killed."""

import os
from contextlib import contextmanager
from typing import Iterator, TextIO


@contextmanager
def whole_file(path: str) -> Iterator[str]:
    """
    Gives another name to write to, and renames the file to `path` once it is written. A file left
    unfinished by an error or a kill keeps the other name.
    """
    unfinished = f"{path}.unfinished"
    yield unfinished
    os.replace(unfinished, path)


@contextmanager
def whole_text(path: str) -> Iterator[TextIO]:
    """A text file to write to, in UTF-8 and with LF, that has its name once it is written; see `whole_file`."""
    with (
        whole_file(path) as unfinished,
        open(unfinished, "w", encoding="utf-8", newline="\n") as file,
    ):
        yield file
