"""The command that measures configs on treebanks, on a small one."""

import csv
import json
import sys
from pathlib import Path
from typing import Dict, List

import pytest
from allennlp.models import load_archive

from allennlp_svae.commands.compare import evaluate_parts
from benchmarks import cells
from tests.conftest import ROOT
from tests.small_runs import LITTLE


def rows(path: Path) -> List[Dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_the_inflector_of_an_svae_is_overridden_too(svae_run: Path) -> None:
    overrides = cells.of_inflector(str(svae_run), ranker=None, beam_size=2)
    before, after = (load_archive(svae_run, overrides=each).model for each in ("", overrides))
    assert before.inflector._ranker is not None
    assert (after.inflector._ranker, after.inflector.beam_size) == (None, 2)


def test_a_cell_is_trained_once_and_measured_with_and_without_the_ranker(
    treebanks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, output, runs = tmp_path / "little.jsonnet", tmp_path / "cells.tsv", tmp_path / "runs"
    path = json.dumps(str(ROOT / "training_config" / "reranked.jsonnet"))
    config.write_text(f"(import {path}) + {LITTLE}", encoding="utf-8")
    arguments = [str(config), "--treebanks", str(treebanks), "--languages", "xx"]
    arguments += ["--labeled", "120", "--output", str(output), "--runs", str(runs)]

    def measure(*options: str) -> List[Dict[str, str]]:
        monkeypatch.setattr(sys, "argv", ["cells", *arguments, *options])
        cells.main()
        return rows(output)

    (ranked,) = measure()
    assert ranked["config"] == str(config)
    (run,) = runs.iterdir()
    archive = run / "model.tar.gz"
    trained = archive.stat().st_mtime_ns
    both = measure("--unranked")
    assert both[0] == ranked
    assert both[1]["config"] == f"{config}, unranked"
    # What stands there is not measured again, and nothing was trained twice.
    assert measure() == measure("--unranked") == both
    assert archive.stat().st_mtime_ns == trained
    dev = str(treebanks / "xx" / "dev")
    for row, overrides in zip(both, ("", {"model.ranker": None}), strict=True):
        figures = evaluate_parts(load_archive(str(run), overrides=overrides), dev)
        assert row["inflection"] == f"{100 * figures['inflection']:.2f}"
