"""Files that are whole or not there, at whatever moment a run is killed."""

import os
from contextlib import contextmanager
from typing import Iterator


@contextmanager
def whole_file(path: str) -> Iterator[str]:
    """
    Gives another name to write to, and renames the file to `path` once it is written. A file left
    unfinished by an error or a kill keeps the other name.
    """
    unfinished = f"{path}.unfinished"
    yield unfinished
    os.replace(unfinished, path)
