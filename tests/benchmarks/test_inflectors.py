import csv
import sys
from pathlib import Path
from typing import Dict, List, Tuple

import pytest

from allennlp_svae.data.sentence import Triple
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.unimorph_tsv import Inflection
from benchmarks import inflectors, peers
from benchmarks.cells import append, params_of
from benchmarks.inflectors import (
    FIGURES,
    Ours,
    Peer,
    Yoyodyne,
    accuracy,
    distinct_triples,
    questions_about,
    rate,
    write_yoyodyne,
)
from benchmarks.peers import Data, columns_of, data_of
from benchmarks.usage import Usage

NOUN, VERB = MorphTag.parse("N;PL"), MorphTag.parse("V;PST")
SPLIT = [
    Triple("wugs", "wug", NOUN),
    Triple("wept", "weep", VERB),
    Triple("weeped", "weep", VERB),
    Triple('"', '"', MorphTag.parse("_")),
    Triple("a\u2028b", "a b", NOUN),
    Triple("it's", "it's", VERB),
]
CELL = {
    "language": "xx",
    "labeled_tokens": "20",
    "tagset": "paper",
    "seed": "1",
    "split": "test",
}


@pytest.fixture
def yoyodyne(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Yoyodyne:
    """A Yoyodyne whose environment holds an empty command."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "yoyodyne").touch()
    monkeypatch.setattr(inflectors, "yoyodyne_version", lambda python: "0.5.27")
    return Yoyodyne(str(folder / "python"))


def test_what_yoyodyne_reads_is_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "train.tsv"
    write_yoyodyne(str(path), SPLIT)
    # As yoyodyne reads: lines by themselves, each a row of csv.
    lines = path.read_bytes().decode().split("\n")
    assert lines.pop() == ""
    rows = [next(csv.reader([line], delimiter="\t")) for line in lines]
    assert [Triple(form, lemma, MorphTag.parse(tag)) for lemma, form, tag in rows] == SPLIT


def test_a_question_is_a_lemma_and_a_tag_asked_once() -> None:
    assert questions_about(SPLIT) == [
        Inflection(lemma, None, tag) for _, lemma, tag in [*SPLIT[:2], *SPLIT[3:]]
    ]


@pytest.mark.parametrize("model", ["ours", "yoyodyne"])
def test_questions_and_answers_keep_their_order(
    model: str, yoyodyne: Yoyodyne, tmp_path: Path
) -> None:
    peer: Peer = Ours("inflector") if model == "ours" else yoyodyne
    asked, answered = tmp_path / "asked.tsv", tmp_path / "answered.tsv"
    questions = questions_about(SPLIT)
    peer.ask(questions, str(asked))
    answers = ["wugs", "", '"', "a\u2028b", "it's"]
    if model == "ours":
        # `allennlp predict` writes UniMorph's columns.
        lines = asked.read_text(encoding="utf-8").split("\n")[:-1]
        rows = [line.split("\t") for line in lines]
        given = ["\t".join((row[0], form, row[2])) for row, form in zip(rows, answers, strict=True)]
    else:
        given = answers
    answered.write_text("".join(f"{line}\n" for line in given), encoding="utf-8")
    assert peer.answers(questions, str(answered)) == answers


def test_accuracy_counts_triples_not_questions() -> None:
    questions = questions_about(SPLIT)
    answers = ["wugs", "wept", '"', "wrong", "wrong"]
    assert accuracy(SPLIT, questions, answers) == pytest.approx(100 * 3 / 6)
    with pytest.raises(ValueError, match="shorter"):
        accuracy(SPLIT, questions, answers[:-1])


def test_a_rate_is_empty_where_no_time_is_left() -> None:
    assert rate(1400, 2.0) == "700"
    assert rate(1400, 0.0) == rate(1400, -0.1) == ""


def test_all_learn_from_the_labelled_portion_and_are_measured_on_the_split(
    treebanks: Path,
) -> None:
    data = data_of_cell(treebanks / "xx", "test")
    assert data_of_cell(treebanks / "xx", "dev").split == data.dev != data.split
    assert 0 < len(data.train) < 40
    for triples in data:
        assert len(set(triples)) == len(triples)


def data_of_cell(treebank: Path, split: str) -> Data[Triple]:
    cell = {**CELL, "split": split, "config": "inflector"}
    return data_of(params_of(cell, str(treebank), False), cell, distinct_triples)


def test_only_rows_that_are_missing_are_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "inflectors.tsv"
    command = ["inflectors", "fst", "paper/inflector", "--languages", "tr", "--labeled", "500"]
    monkeypatch.setattr(sys, "argv", [*command, "1000", "--output", str(output)])
    asked: List[Tuple[str, str]] = []

    def measure(model: Peer, cell: Dict[str, str], arguments: object) -> Dict[str, str]:
        asked.append((cell["labeled_tokens"], model.name))
        return dict.fromkeys(FIGURES, "1")

    monkeypatch.setattr(inflectors, "measure", measure)
    there = {"language": "tr", "labeled_tokens": "500", "model": "fst", "tagset": "paper"}
    append({**there, "seed": "13370", "split": "dev"}, str(output), columns_of(FIGURES))
    inflectors.main()
    assert asked == [("500", "paper/inflector"), ("1000", "fst"), ("1000", "paper/inflector")]
    inflectors.main()
    assert len(asked) == 3
    with output.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert list(rows[0]) == columns_of(FIGURES)
    assert [row["accuracy"] for row in rows] == ["", "1", "1", "1"]
    assert capsys.readouterr().out.count("\n") == 3


def test_a_row_is_made_of_one_fit_and_its_predictions(
    yoyodyne: Yoyodyne, treebanks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """yoyodyne's commands, run by something that copies lemmas."""
    subcommands: List[str] = []

    def run(command: List[str], log: str) -> Usage:
        subcommands.append(command[1])
        options = dict(each[2:].split("=", 1) for each in command if "=" in each)
        if command[1] == "fit":
            assert Path(options["data.train"]).stat().st_size
            assert Path(options["data.val"]).stat().st_size
            return Usage(100.0, 500_000_000)
        with open(options["data.predict"], encoding="utf-8", newline="") as file:
            lemmas = [row[0] for row in csv.reader(file, delimiter="\t")]
        text = "".join(f"{lemma}\n" for lemma in lemmas)
        Path(options["prediction.path"]).write_text(text, encoding="utf-8")
        # The last time of three is the least.
        noise = 1.0 if len(subcommands) % 3 != 1 else 0.0
        return Usage(5.0 + noise + 0.01 * (len(lemmas) - 1), 1)

    for module in (inflectors, peers):
        monkeypatch.setattr(module, "run", run)
    command = [
        "inflectors",
        "fst",
        "--treebanks",
        str(treebanks),
        "--runs",
        str(tmp_path / "r"),
    ]
    monkeypatch.setattr(sys, "argv", command)
    row = inflectors.measure(yoyodyne, CELL, inflectors.parse_arguments())
    triples = data_of_cell(treebanks / "xx", "test").split
    copies = sum(form == lemma for form, lemma, _ in triples)
    assert row == {
        "accuracy": f"{100 * copies / len(triples):.2f}",
        "fit_cpu_seconds": "100.0",
        "forms_per_cpu_second": "100",
        "peak_mb": "500",
    }
    assert subcommands == ["fit", *["predict"] * 6]


def test_a_python_without_yoyodyne_is_told_how_to_get_it() -> None:
    with pytest.raises(SystemExit, match=r"(?s)has no yoyodyne.*pip install yoyodyne"):
        Yoyodyne(sys.executable)


def test_a_python_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"(?s)nowhere cannot be run.*pip install yoyodyne"):
        Yoyodyne(str(tmp_path / "nowhere"))
