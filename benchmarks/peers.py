"""What comparisons of models with their peers share: a row is one model on one cell, measured by its command line."""

import argparse
import os
import tempfile
from pathlib import Path
from typing import (
    Callable,
    Dict,
    Generic,
    Iterator,
    List,
    NamedTuple,
    Protocol,
    Sequence,
    Tuple,
    TypeVar,
)

from allennlp.common import Params

from allennlp_svae.data.sentence import Sentence
from allennlp_svae.data.treebank import read_sentences
from benchmarks.cells import append, circumstances, lacks_train, measured, params_of
from benchmarks.usage import run

KEY = ["language", "labeled_tokens", "model", "tagset", "seed", "split"]
# How often each file is predicted; the least time counts.
TIMES = 3


class Named(Protocol):
    name: str


Model = TypeVar("Model", bound=Named)
Item = TypeVar("Item")


class Data(NamedTuple, Generic[Item]):
    """What models learn from, choose their best epoch by, and are measured on."""

    train: List[Item]
    dev: List[Item]
    split: List[Item]


# Seconds, and what else is to be known of the time that counts.
Cost = TypeVar("Cost", float, Tuple[float, int])
Measure = Callable[[Model, Dict[str, str], argparse.Namespace], Dict[str, str]]


def measure_all(
    models: Sequence[Model],
    arguments: argparse.Namespace,
    measure: Measure[Model],
    figures: List[str],
) -> None:
    """Measures each model on each cell of which the result file has no row, and writes the row at once."""
    columns = columns_of(figures)
    for cell in cells(arguments):
        for model in models:
            key = {**cell, "model": model.name}
            if key not in measured(arguments.output, KEY):
                row = {**key, **measure(model, cell, arguments), **circumstances()}
                append(row, arguments.output, columns)
                print("\t".join(row[name] for name in columns), flush=True)


def columns_of(figures: List[str]) -> List[str]:
    """Of a result file."""
    return [*KEY, *figures, "date", "machine"]


def cells(arguments: argparse.Namespace) -> Iterator[Dict[str, str]]:
    """The rows' keys, without a model."""
    for language in arguments.languages:
        for labeled in arguments.labeled:
            yield {
                "language": language,
                "labeled_tokens": str(labeled),
                "tagset": arguments.tagset,
                "seed": str(arguments.seed),
                "split": arguments.split,
            }


def params_of_cell(cell: Dict[str, str], config: str, arguments: argparse.Namespace) -> Params:
    treebank = os.path.join(arguments.treebanks, cell["language"])
    return params_of({**cell, "config": config}, treebank, lacks_train(treebank))


def data_of(
    params: Params, cell: Dict[str, str], items_of: Callable[[Iterator[Sentence]], List[Item]]
) -> Data[Item]:
    """By the paths and the reader of a config; `items_of` takes out of sentences what models are given."""
    config = params.as_dict(quiet=True)
    reader, dev = config["dataset_reader"], config["validation_data_path"]
    test = os.path.join(os.path.dirname(dev), "test")

    def items(path: str) -> List[Item]:
        reading = (reader["tagset"], reader["labeled_tokens"], reader["held_out"])
        return items_of(read_sentences(path, *reading))

    split = test if cell["split"] == "test" else dev
    return Data(items(config["train_data_path"]), items(dev), items(split))


def new_folder(model: Named, cell: Dict[str, str], arguments: argparse.Namespace) -> str:
    """For all that is written while a row is measured."""
    os.makedirs(arguments.runs, exist_ok=True)
    name = "-".join([cell["language"], cell["labeled_tokens"], model.name.replace("/", "_"), ""])
    return tempfile.mkdtemp(prefix=name, dir=arguments.runs)


def prediction_seconds(command: List[str], answers: str, log: str) -> float:
    """CPU-seconds of a command that writes the file `answers`; see `least`."""
    return least(lambda: run(command, log).cpu_seconds, answers)


def least(predict: Callable[[], Cost], answers: str) -> Cost:
    """
    What predicting into the file `answers` costs: whatever else the machine does only adds to it. The answers are those
    of the last time.
    """
    found = []
    for _ in range(TIMES):
        Path(answers).unlink(missing_ok=True)
        found.append(predict())
    return min(found)


def rate(items: int, seconds: float) -> str:
    """Items a second; empty where they took no time that could be told from start-up."""
    return f"{items / seconds:.0f}" if seconds > 0 else ""
