import csv
import json
import sys
from pathlib import Path
from typing import Callable, List

import pytest

from benchmarks import speed
from benchmarks.usage import Usage
from tests.conftest import ROOT
from tests.small_runs import LITTLE


def test_rows_are_measured_by_the_command_line_once(
    allennlp: Callable[..., None],
    treebanks: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In this process, by a clock on which a command takes a second and each line of its file a hundredth."""
    monkeypatch.chdir(ROOT)
    config = tmp_path / "little.jsonnet"
    path = json.dumps(str(ROOT / "training_config" / "edit_transducer.jsonnet"))
    config.write_text(f"(import {path}) + {LITTLE}", encoding="utf-8")
    commands: List[List[str]] = []
    clock = 0.0

    def run(command: List[str], log: str) -> Usage:
        nonlocal clock
        assert command[:3] == [sys.executable, "-m", "allennlp"]
        commands.append(command[3:])
        allennlp(*command[3:])
        predicts = command[3] == "predict"
        clock += 1 + (
            len(Path(command[5]).read_text("utf-8").splitlines()) / 100 if predicts else 0
        )
        return Usage(0.0, 2_000_000)

    monkeypatch.setattr(speed, "run", run)
    monkeypatch.setattr(speed.time, "perf_counter", lambda: clock)
    output = tmp_path / "speed.tsv"
    arguments = ["--treebanks", str(treebanks), "--languages", "xx", "--labeled", "60"]
    arguments += ["--output", str(output), "--runs", str(tmp_path / "runs")]
    monkeypatch.setattr(sys, "argv", ["speed", str(config), *arguments])
    speed.main()
    with output.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [(row["beam"], row["processes"]) for row in rows] == [
        (beam, processes) for beam in ("1", "5") for processes in ("1", "2")
    ]
    forms = len(speed.questions_of(str(treebanks / "xx"), "paper"))
    for row in rows:
        assert list(row) == speed.COLUMNS
        assert (row["fit_seconds"], row["forms"], row["peak_mb"]) == ("1.0", str(forms), "2")
        assert row["forms_per_second"] == "100"
    assert [command[0] for command in commands] == ["train", *["predict"] * 4 * 6]
    speed.main()
    assert len(commands) == 25
    assert capsys.readouterr().out.count(f"{config}\tpaper") == 4
