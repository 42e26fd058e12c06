"""
Trains configs on cells (treebank × labelled tokens) and writes what they reach, a line a cell:

    python -m benchmarks.cells fst inflector svae --treebanks ../shared/ud --languages tr et --labeled 500 1000

Treebanks without a training file are measured by the dev-as-train protocol. A cell that the result file
holds is not measured again, a run that was stopped is recovered.

`--unranked` measures the same runs with the beam's likeliest forms, whatever the raw text's words look like, under the
name of the config with `, unranked`.
"""

import argparse
import csv
import datetime
import glob
import json
import os
import platform
from typing import Any, Dict, Iterator, List, Sequence

import _jsonnet
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.models import load_archive

import allennlp_svae  # noqa: F401
import benchmarks.ablation  # noqa: F401
from allennlp_svae.commands.compare import evaluate_parts

CELL = ["config", "language", "labeled_tokens", "tagset", "seed", "split"]
FIGURES = ["inflection", "tag", "lemma", "tag+lemma"]
UNRANKED = ", unranked"
COLUMNS = [*CELL, *FIGURES, "date", "machine"]


def main() -> None:
    arguments = parse_arguments()
    for cell in cells(arguments):
        if arguments.unranked:
            cell["config"] += UNRANKED
        if cell not in measured(arguments.output):
            row = {**cell, **measure_cell(cell, arguments), **circumstances()}
            append(row, arguments.output)
            print("\t".join(row[name] for name in COLUMNS), flush=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0].strip())
    add_cell_arguments(parser)
    parser.add_argument("--output", default="experiments/cells.tsv")
    parser.add_argument("--runs", default="runs/cells")
    parser.add_argument("--unranked", action="store_true")
    return parser.parse_args()


def add_cell_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("configs", nargs="+", help="files, or names in training_config/")
    parser.add_argument("--treebanks", default="../shared/ud")
    parser.add_argument("--languages", nargs="+", default=["et", "hu", "la", "lv", "tr"])
    parser.add_argument("--labeled", nargs="+", type=int, default=[500, 1000, 5000])
    parser.add_argument("--tagset", default="paper")
    parser.add_argument("--seed", type=int, default=13370)
    parser.add_argument("--split", default="dev", choices=["dev", "test"])


def cells(arguments: argparse.Namespace) -> Iterator[Dict[str, str]]:
    for language in arguments.languages:
        for labeled in arguments.labeled:
            for config in arguments.configs:
                values = (config, language, labeled, arguments.tagset, arguments.seed)
                yield dict(zip(CELL, [*map(str, values), arguments.split], strict=True))


def measure_cell(cell: Dict[str, str], arguments: argparse.Namespace) -> Dict[str, str]:
    folder = os.path.join(arguments.treebanks, cell["language"])
    dev_as_train = lacks_train(folder)
    config = cell["config"].removesuffix(UNRANKED)
    name = "-".join([config.replace("/", "_"), *list(cell.values())[1:5]])
    run = os.path.join(arguments.runs, name)
    if not os.path.exists(os.path.join(run, "model.tar.gz")):
        params = params_of({**cell, "config": config}, folder, dev_as_train)
        train_model(params, run, recover=os.path.exists(run))
    portion = "#held_out" if dev_as_train and cell["split"] == "dev" else ""
    archive = load_archive(
        run, overrides=of_inflector(run, ranker=None) if arguments.unranked else ""
    )
    figures = evaluate_parts(archive, os.path.join(folder, cell["split"] + portion))
    return {name: f"{100 * figures[name]:.2f}" if name in figures else "" for name in FIGURES}


def of_inflector(run: str, **options: Any) -> Dict[str, Any]:
    """Overrides by which the inflector of a run, an inflector itself or an svae, has other options."""
    model = Params.from_file(os.path.join(run, "config.json"))["model"]
    part = "model.inflector" if model["type"] == "svae" else "model"
    return {f"{part}.{name}": value for name, value in options.items()}


def lacks_train(treebank: str) -> bool:
    names = ("train.conllu", "*-ud-train.conllu")
    return not any(glob.glob(os.path.join(glob.escape(treebank), name)) for name in names)


def params_of(cell: Dict[str, str], treebank: str, dev_as_train: bool) -> Params:
    fields: Dict[str, Any] = {
        "treebank": treebank,
        "labeled_tokens": int(cell["labeled_tokens"]),
        "tagset": cell["tagset"],
        "seed": int(cell["seed"]),
        "dev_as_train": dev_as_train,
    }
    settings = ", ".join(f"{name}:: {json.dumps(value)}" for name, value in fields.items())
    config = cell["config"]
    path = config if os.path.isfile(config) else f"training_config/{config}.jsonnet"
    snippet = f"(import {json.dumps(path)}) + {{ {settings} }}"
    return Params(json.loads(_jsonnet.evaluate_snippet("cell", snippet)))


def circumstances() -> Dict[str, str]:
    return {
        "date": datetime.date.today().isoformat(),
        "machine": f"{platform.machine()} {os.cpu_count()} cores torch {torch.__version__}",
    }


def measured(path: str, key: Sequence[str] = CELL) -> List[Dict[str, str]]:
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return [{name: row[name] for name in key} for row in csv.DictReader(file, delimiter="\t")]


def append(row: Dict[str, str], path: str, columns: Sequence[str] = COLUMNS) -> None:
    os.makedirs(os.path.dirname(path) or os.curdir, exist_ok=True)
    is_new = not os.path.exists(path)
    with open(path, "a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, delimiter="\t", lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(row)


if __name__ == "__main__":
    main()
