import os
from pathlib import Path

import pytest


@pytest.fixture
def treebanks(treebank: Path, tmp_path: Path) -> Path:
    """A folder with one language, `xx`: a few sentences of the demo treebank under the names of `../shared/ud`."""
    folder = tmp_path / "treebanks" / "xx"
    folder.mkdir(parents=True)
    for split in ("train", "dev", "test"):
        (file,) = treebank.glob(f"*-{split}.conllu")
        os.symlink(file, folder / f"{split}.conllu")
    return folder.parent
