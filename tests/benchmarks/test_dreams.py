import csv
import json
import sys
from pathlib import Path

import pytest
from allennlp.models import load_archive

from allennlp_svae.commands.compare import evaluate_parts
from benchmarks import dreams


def test_each_iteration_of_a_run_is_measured_once(
    svae_run: Path, treebank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREEBANK", str(treebank))
    output = tmp_path / "dreams.tsv"
    monkeypatch.setattr(sys, "argv", ["dreams", f"{svae_run}/", "--output", str(output)])
    for _ in range(2):
        dreams.main()
    with open(output, encoding="utf-8", newline="") as file:
        first, second, together = csv.DictReader(file, delimiter="\t")
    assert (first["run"], first["iteration"], first["dreamed"]) == (svae_run.name, "1", "0")
    assert (second["run"], second["iteration"]) == (svae_run.name, "2")
    assert int(second["dreamed"]) > 0
    # As `allennlp evaluate` measures the archive.
    assert (together["iteration"], together["dreamed"]) == ("q and p", second["dreamed"])
    figures = evaluate_parts(load_archive(str(svae_run)), f"{treebank}/dev")
    assert float(together["tag"]) == pytest.approx(100 * figures["tag"], abs=0.01)
    assert float(together["joint"]) == pytest.approx(100 * figures["tag+lemma"], abs=0.01)
    for row in (first, second):
        folder = svae_run / "wake_sleep" / f"iteration_{row['iteration']}"
        metrics = json.loads((folder / "tagger_lemmatizer" / "metrics.json").read_text())
        for name in ("tag", "lemma", "joint"):
            assert float(row[name]) == pytest.approx(100 * metrics[f"{name}_accuracy"], abs=0.01)
