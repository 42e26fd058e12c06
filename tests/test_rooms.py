"""Which room of the package knows which: the table of ARCHITECTURE.md."""

import ast
from pathlib import Path
from typing import Set

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "allennlp_svae"
METRICS = {"inflection_metrics", "ratio", "tagging_accuracy"}
MUST_NOT_KNOW = {
    "data": {
        "torch",
        "allennlp",
        "dataset_readers",
        "modules",
        "models",
        "training",
        "predictors",
        "commands",
    },
    "dataset_readers": {"modules", "models", "training", "predictors", "commands"},
    "modules": {"models", "training", "predictors", "commands"},
    "models": {"training", "predictors", "commands"},
    "training": {"predictors", "commands"},
    "predictors": {"commands"},
}


def known(path: Path) -> Set[str]:
    """Other packages and rooms of this one that a file imports; metrics, which lie in `training`, are no room."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        modules = [node.module] if isinstance(node, ast.ImportFrom) else []
        modules += [each.name for each in node.names] if isinstance(node, ast.Import) else []
        for module in filter(None, modules):
            package, *rest = module.split(".")
            if package != "allennlp_svae":
                found.add(package)
            elif rest and rest[-1] not in METRICS:
                found.add(rest[0])
    return found


@pytest.mark.parametrize("room", MUST_NOT_KNOW)
def test_no_room_knows_what_it_must_not(room: str) -> None:
    files = list((PACKAGE / room).glob("*.py"))
    assert len(files) > 1
    wrong = {path.name: known(path) & MUST_NOT_KNOW[room] for path in files}
    assert {name: rooms for name, rooms in wrong.items() if rooms} == {}
