import os
from itertools import islice
from pathlib import Path

import pytest
import torch
from allennlp.commands import main as allennlp_main
from hypothesis import settings

import allennlp_svae  # noqa: F401
from allennlp_svae.data.conllu_format import read_blocks

ROOT = Path(__file__).resolve().parent.parent
# A busy machine is no failure; and where a change is judged, the same examples judge each time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
# Small models are fastest on one thread, and sums come out the same in every run.
torch.set_num_threads(1)


@pytest.fixture(scope="session")
def allennlp():
    """Calls AllenNLP's command line in this process: `allennlp("train", config, "-s", folder)`."""

    def call(*arguments):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.argv", ["allennlp", *map(str, arguments)])
            allennlp_main(prog="allennlp")

    return call


@pytest.fixture(scope="session")
def treebank(tmp_path_factory):
    """A treebank's folder with a few sentences of the demo corpus under UD's names."""
    folder = tmp_path_factory.mktemp("UD_Demo-Tiny")
    for split, count in {"train": 60, "dev": 12, "test": 12}.items():
        blocks = islice(read_blocks(str(ROOT / "fixtures" / "demo" / f"{split}.conllu")), count)
        text = "".join(block.serialize() for block in blocks)
        (folder / f"demo_tiny-ud-{split}.conllu").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def svae_config():
    return ROOT / "fixtures" / "tiny" / "svae.jsonnet"


@pytest.fixture(scope="session")
def svae_run(tmp_path_factory, allennlp, treebank, svae_config):
    """The folder of a finished run of the tiny `svae`."""
    folder = tmp_path_factory.mktemp("runs") / "svae"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "TREEBANK", str(treebank))
        allennlp("train", svae_config, "-s", folder)
    return folder
