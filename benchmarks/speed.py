"""
Measures how long fitting an inflector and predicting with it take on the clock, by one process and by several:

    python -m benchmarks.speed reranked --languages tr --labeled 500 5000 --processes 1 2

Each row is one beam and one number of processes (`--predictor-args '{"processes": 2}'`). What is asked are the distinct
lemmas and tags of the treebank's training file, in one file, by `allennlp predict`, 256 at a time.

- `fit_seconds`: of `allennlp train`, on one thread a process, start-up and dev's confidences included;
- `forms_per_second`: less what it takes to predict the first line alone, each the least of three times;
- `forms`: how many are asked;
- `peak_mb`: the most memory that one of the processes held in predicting, in 10^6 bytes.

Nothing else should run on the machine. A row that the result file holds is not measured again.
"""

import argparse
import json
import os
import time
from typing import Dict, Iterator, List, Tuple

from allennlp_svae.data.sentence import triples_of
from allennlp_svae.data.treebank import read_sentences
from allennlp_svae.data.unimorph_tsv import Inflection
from benchmarks.cells import (
    add_cell_arguments,
    append,
    circumstances,
    lacks_train,
    measured,
    of_inflector,
)
from benchmarks.inflectors import Ours, questions_about
from benchmarks.peers import cells, least, new_folder, rate
from benchmarks.usage import run

KEY = ["language", "labeled_tokens", "model", "tagset", "seed", "beam", "processes"]
FIGURES = ["fit_seconds", "forms_per_second", "forms", "peak_mb"]
COLUMNS = [*KEY, *FIGURES, "date", "machine"]


def main() -> None:
    arguments = parse_arguments()
    for cell in cells(arguments):
        for model in map(Ours, arguments.configs):
            done = measured(arguments.output, KEY)
            missing = [key for key in keys(cell, model, arguments) if key not in done]
            if missing:
                for row in measure(model, cell, missing, arguments):
                    append(row, arguments.output, COLUMNS)
                    print("\t".join(row[name] for name in COLUMNS), flush=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0].strip())
    add_cell_arguments(parser)
    parser.add_argument("--beams", nargs="+", type=int, default=[1, 5])
    parser.add_argument("--processes", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--output", default="experiments/speed.tsv")
    parser.add_argument("--runs", default="runs/speed")
    return parser.parse_args()


def keys(
    cell: Dict[str, str], model: Ours, arguments: argparse.Namespace
) -> Iterator[Dict[str, str]]:
    shared = {name: cell[name] for name in KEY if name in cell}
    for beam in arguments.beams:
        for processes in arguments.processes:
            counts = {"beam": str(beam), "processes": str(processes)}
            yield {**shared, "model": model.name, **counts}


def measure(
    model: Ours, cell: Dict[str, str], missing: List[Dict[str, str]], arguments: argparse.Namespace
) -> Iterator[Dict[str, str]]:
    folder = new_folder(model, cell, arguments)
    treebank = os.path.join(arguments.treebanks, cell["language"])
    start = time.perf_counter()
    run(model.fit(cell, treebank, None, folder), os.path.join(folder, "fit.log"))
    fit_seconds = time.perf_counter() - start
    questions = questions_of(treebank, cell["tagset"])
    for key in missing:
        first, _ = predict(model, folder, questions[:1], key)
        everything, peak_bytes = predict(model, folder, questions, key)
        yield {
            **key,
            "fit_seconds": f"{fit_seconds:.1f}",
            "forms_per_second": rate(len(questions) - 1, everything - first),
            "forms": str(len(questions)),
            "peak_mb": f"{peak_bytes / 1e6:.0f}",
            **circumstances(),
        }


def questions_of(treebank: str, tagset: str) -> List[Inflection]:
    """The distinct lemmas and tags of the training file, or of dev where there is none, without forms."""
    path = os.path.join(treebank, "dev" if lacks_train(treebank) else "train")
    return questions_about(triples_of(read_sentences(path, tagset)))


def predict(
    model: Ours, folder: str, questions: List[Inflection], key: Dict[str, str]
) -> Tuple[float, int]:
    """Seconds on the clock, and the bytes that one of the processes held."""
    asked, answers = (os.path.join(folder, f"{name}.tsv") for name in ("questions", "answers"))
    model.ask(questions, asked)
    width = int(key["beam"])
    beam = of_inflector(os.path.join(folder, "run"), beam_size=width, metric_beam_size=width)
    options = ["-o", json.dumps(beam), "--predictor-args", f'{{"processes": {key["processes"]}}}']

    def cost() -> Tuple[float, int]:
        start = time.perf_counter()
        usage = run([*model.predict(folder, asked, answers), *options], f"{asked}.log")
        return time.perf_counter() - start, usage.peak_bytes

    return least(cost, answers)


if __name__ == "__main__":
    main()
