import csv
import sys
from importlib import metadata
from pathlib import Path
from typing import Callable, Dict, List, Tuple

import pytest

from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.treebank import read_sentences
from benchmarks import peers, tagger
from benchmarks.cells import append, params_of
from benchmarks.peers import Data, columns_of, data_of
from benchmarks.tagger import FIGURES, Ours, Peer, UDPipe, accuracies, with_words
from benchmarks.usage import Usage, run
from tests.conftest import ROOT

CELL = {
    "language": "xx",
    "labeled_tokens": "120",
    "tagset": "ud",
    "seed": "1",
    "split": "test",
}


@pytest.fixture
def udpipe() -> UDPipe:
    pytest.importorskip(
        "ufal.udpipe", reason="UDPipe is not installed: pip install '.[benchmarks]'"
    )
    return UDPipe()


def row_of(
    peer: Peer, treebanks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Tuple[Dict[str, str], Path]:
    """A measured row, and the folder of its run."""
    runs = tmp_path / "runs"
    options = ["--treebanks", str(treebanks), "--runs", str(runs)]
    monkeypatch.setattr(sys, "argv", ["tagger", "tagger_lemmatizer", *options])
    row = tagger.measure(peer, CELL, tagger.parse_arguments())
    (folder,) = runs.iterdir()
    return row, folder


def data_of_cell(treebanks: Path, split: str) -> Data[Sentence]:
    cell = {**CELL, "split": split, "config": "tagger_lemmatizer"}
    return data_of(params_of(cell, str(treebanks / CELL["language"]), False), cell, with_words)


def test_all_learn_from_the_labelled_portion_and_are_measured_on_the_split(treebanks: Path) -> None:
    data = data_of_cell(treebanks, "test")
    assert data_of_cell(treebanks, "dev").split == data.dev != data.split
    *before, last = map(len, data.train)
    assert sum(before) < 120 <= sum(before) + last


def test_accuracies_are_of_words_with_and_without_conventions() -> None:
    noun, verb = MorphTag.parse("NOUN;Case=None"), MorphTag.parse("VERB")
    plain = MorphTag.parse("NOUN")
    gold = [
        Sentence((Token("a", "a1", noun), Token("b", "b", verb))),
        Sentence((Token("c", "c", noun), Token("!", "!", plain))),
    ]
    answers = [
        Sentence((Token("a", "A", noun), Token("b", "x", verb))),
        Sentence((Token("c", "c", plain), Token("!", "?", plain))),
    ]
    assert accuracies(gold, answers) == {
        "tag": "75.00",
        "lemma": "25.00",
        "joint": "0.00",
        "tag*": "100.00",
        "lemma*": "75.00",
        "joint*": "75.00",
    }
    with pytest.raises(ValueError, match="other words"):
        accuracies(gold, answers[:1])


def test_udpipe_is_measured(
    udpipe: UDPipe, treebanks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row, folder = row_of(udpipe, treebanks, tmp_path, monkeypatch)
    assert row.keys() == set(FIGURES)
    # More than the most frequent tag and the form itself would give.
    assert 30.0 < float(row["joint"]) <= float(row["tag"]) <= 100.0
    assert float(row["joint"]) <= float(row["joint*"])
    assert float(row["fit_cpu_seconds"]) > 0.0
    assert float(row["peak_mb"]) > 1.0
    # It learns from the labelled portion, and is asked without annotation.
    data = data_of_cell(treebanks, "test")
    for name, expected in {"train": data.train, "dev": data.dev}.items():
        assert list(read_sentences(str(folder / f"{name}.conllu"), "ud")) == expected
    asked = read_sentences(str(folder / "all.questions.conllu"), "ud")
    assert list(asked) == [each.without_annotation() for each in data.split]


def test_what_udpipe_cannot_do_is_told(udpipe: UDPipe, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_text("1\tword\n\n", encoding="utf-8")
    command = udpipe.predict(str(tmp_path), str(wrong), str(tmp_path / "answers"))
    with pytest.raises(SystemExit, match=r"model\.udpipe is no model"):
        run(command, str(tmp_path / "log"))
    command = [sys.executable, "-m", "benchmarks.udpipe", "fit", str(wrong), str(wrong), "model"]
    with pytest.raises(SystemExit, match="CoNLL-U"):
        run(command, str(tmp_path / "log"))


def test_ours_is_measured(
    treebanks: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    allennlp: Callable[..., None],
) -> None:
    """By its own commands, in this process: starting one takes longer than all that it does."""
    subcommands: List[str] = []

    def run(command: List[str], log: str) -> Usage:
        assert command[1:3] == ["-m", "allennlp"]
        subcommands.append(command[3])
        allennlp(*command[3:])
        if command[3] == "train":
            return Usage(100.0, 500_000_000)
        # The last time of three is the least.
        noise = 1.0 if len(subcommands) % 3 != 1 else 0.0
        tokens = sum(map(len, read_sentences(command[5])))
        return Usage(5.0 + noise + 0.01 * tokens, 1)

    for module in (tagger, peers):
        monkeypatch.setattr(module, "run", run)
    monkeypatch.chdir(ROOT)
    row, _ = row_of(Ours("tagger_lemmatizer"), treebanks, tmp_path, monkeypatch)
    assert row.keys() == set(FIGURES)
    assert 30.0 < float(row["joint"]) <= float(row["tag"]) <= 100.0
    assert (row["fit_cpu_seconds"], row["tokens_per_cpu_second"], row["peak_mb"]) == (
        "100.0",
        "100",
        "500",
    )
    assert subcommands == ["train", *["predict"] * 6]


@pytest.mark.parametrize("is_installed", [True, False])
def test_only_rows_that_are_missing_are_measured(
    is_installed: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def version(name: str) -> str:
        if name == "ufal.udpipe" and is_installed:
            return "1.0"
        raise metadata.PackageNotFoundError(name)

    def measure(model: Peer, cell: Dict[str, str], arguments: object) -> Dict[str, str]:
        asked.append((cell["labeled_tokens"], model.name))
        return dict.fromkeys(FIGURES, "1")

    asked: List[Tuple[str, str]] = []
    monkeypatch.setattr(metadata, "version", version)
    monkeypatch.setattr(tagger, "measure", measure)
    output = tmp_path / "tagger.tsv"
    command = ["tagger", "tagger_lemmatizer", "--languages", "tr", "--labeled", "500", "1000"]
    monkeypatch.setattr(sys, "argv", [*command, "--output", str(output)])
    there = {"language": "tr", "labeled_tokens": "500", "model": "tagger_lemmatizer"}
    append(
        {**there, "tagset": "ud", "seed": "13370", "split": "dev"}, str(output), columns_of(FIGURES)
    )
    tagger.main()
    peers = ["udpipe-1.0"] if is_installed else []
    ours = "tagger_lemmatizer"
    assert asked == [*(("500", peer) for peer in peers), *(("1000", m) for m in [ours, *peers])]
    printed = capsys.readouterr()
    assert printed.out.count("\n") == len(asked)
    assert ("UDPipe is not installed" in printed.err) is not is_installed
    tagger.main()
    assert len(asked) == 1 + 2 * len(peers)
    with output.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert list(rows[0]) == columns_of(FIGURES)
    assert [row["joint*"] for row in rows] == ["", *["1"] * len(asked)]
