"""
Compares inflectors with yoyodyne's pointer-generator LSTM, by accuracy, time and memory:

    python -m venv runs/yoyodyne && runs/yoyodyne/bin/pip install yoyodyne==0.5.27
    python -m benchmarks.inflectors inflector fst --languages tr et --labeled 500 1000 5000 \\
        --split test --yoyodyne runs/yoyodyne/bin/python

The first line, once, installs yoyodyne in an environment of its own; nothing of it is imported here, and
`benchmarks/yoyodyne.yaml` is how it is set. Without `--yoyodyne` the configs are measured alone.

All models learn from the same distinct triples (ours know their counts as well), choose their best epoch,
where they have epochs, on the same ones of dev, are asked the same distinct lemmas and tags of the split,
256 at a time, and are measured on the same triples. Each runs by its own command line, in a process of its
own, on one thread unless `OMP_NUM_THREADS` says otherwise and without GPU:

- `accuracy`: exact matches in percent of the split's distinct triples;
- `fit_cpu_seconds`: user and system time of fitting, start-up and looking at dev included;
- `forms_per_cpu_second`: of prediction, less what it takes to predict the first line alone; each is the
  least of three times, since whatever else the machine does only adds to them. Empty where nothing is left;
  start-up varies by a tenth of a second, so that a rate of more than ten thousand is no more than a hint;
- `peak_mb`: the most memory that a process held in fitting, in 10^6 bytes.

A row that the result file holds is not measured again. A run that was stopped starts anew, since its time
is not known, in another folder.
"""

import argparse
import csv
import os
import shutil
import subprocess
import sys
from typing import Dict, Iterable, Iterator, List, Protocol, Union

from allennlp_svae.data.sentence import Sentence, Triple, triples_of
from allennlp_svae.data.text_file import read_lines
from allennlp_svae.data.unimorph_tsv import Inflection, read_inflections, write_inflections
from benchmarks.cells import add_cell_arguments, lacks_train, params_of
from benchmarks.peers import (
    Data,
    data_of,
    measure_all,
    new_folder,
    params_of_cell,
    prediction_seconds,
    rate,
)
from benchmarks.usage import run

FIGURES = ["accuracy", "fit_cpu_seconds", "forms_per_cpu_second", "peak_mb"]

# How many questions all models are asked at a time.
BATCH_SIZE = "256"

# The config whose paths and reader say what all models learn from.
DATA_CONFIG = "inflector"
YOYODYNE_CONFIG = os.path.join(os.path.dirname(__file__), "yoyodyne.yaml")
INSTALLATION = (
    "Install it in an environment of its own:\n"
    "    python -m venv runs/yoyodyne && runs/yoyodyne/bin/pip install yoyodyne==0.5.27\n"
    "and give --yoyodyne runs/yoyodyne/bin/python"
)


def questions_about(triples: Iterable[Triple]) -> List[Inflection]:
    """Their distinct lemmas and tags, without forms."""
    return list(dict.fromkeys(Inflection(lemma, None, tag) for _, lemma, tag in triples))


class Peer(Protocol):
    """An inflector with a command line. Each run has a folder of its own."""

    name: str

    def fit(
        self, cell: Dict[str, str], treebank: str, data: Data[Triple], folder: str
    ) -> List[str]:
        """Writes into the folder what fitting reads; the command that fits."""

    def ask(self, questions: List[Inflection], path: str) -> None:
        """Writes questions as the model reads them."""

    def predict(self, folder: str, questions: str, answers: str) -> List[str]:
        """The command that predicts."""

    def answers(self, questions: List[Inflection], path: str) -> List[str]:
        """The forms in a file of answers, one a question."""


class Ours:
    """A config of training_config/, by `allennlp train` and `allennlp predict`."""

    def __init__(self, config: str) -> None:
        self.name = config

    def fit(self, cell: Dict[str, str], treebank: str, data: object, folder: str) -> List[str]:
        config = os.path.join(folder, "config.json")
        params_of({**cell, "config": self.name}, treebank, lacks_train(treebank)).to_file(config)
        return self._allennlp("train", config, "-s", os.path.join(folder, "run"))

    def ask(self, questions: List[Inflection], path: str) -> None:
        write_inflections(path, questions)

    def predict(self, folder: str, questions: str, answers: str) -> List[str]:
        archive = os.path.join(folder, "run", "model.tar.gz")
        options = ["--predictor", "inflect", "--use-dataset-reader", "--batch-size", BATCH_SIZE]
        output = ["--output-file", answers, "--silent"]
        return self._allennlp("predict", archive, questions, *options, *output)

    def answers(self, questions: List[Inflection], path: str) -> List[str]:
        found = read_inflections(path, allow_missing_form=True)
        forms = {(lemma, tag): form or "" for lemma, form, tag in found}
        return [forms[lemma, tag] for lemma, _, tag in questions]

    @staticmethod
    def _allennlp(*arguments: str) -> List[str]:
        return [sys.executable, "-m", "allennlp", *arguments, "--include-package", "allennlp_svae"]


class Yoyodyne:
    """
    The pointer-generator LSTM of yoyodyne.yaml.

    # Parameters

    python : `str`
        The Python that yoyodyne is installed for.

    # Raises

    `SystemExit` where it is not.
    """

    def __init__(self, python: str) -> None:
        self.name = f"yoyodyne-{yoyodyne_version(python)}"
        self._command = os.path.join(os.path.dirname(shutil.which(python) or python), "yoyodyne")
        if not os.path.exists(self._command):
            raise SystemExit(f"There is no {self._command}. {INSTALLATION}")

    def fit(
        self, cell: Dict[str, str], treebank: str, data: Data[Triple], folder: str
    ) -> List[str]:
        train, dev = os.path.join(folder, "train.tsv"), os.path.join(folder, "dev.tsv")
        write_yoyodyne(train, data.train)
        write_yoyodyne(dev, data.dev)
        options = {
            "seed_everything": cell["seed"],
            "data.train": train,
            "data.val": dev,
            "checkpoint.dirpath": os.path.join(folder, "run"),
        }
        return self._yoyodyne("fit", folder, options)

    def ask(self, questions: List[Inflection], path: str) -> None:
        write_yoyodyne(path, questions)

    def predict(self, folder: str, questions: str, answers: str) -> List[str]:
        options = {
            "ckpt_path": os.path.join(folder, "run", "best.ckpt"),
            "data.predict": questions,
            "data.batch_size": BATCH_SIZE,
            "data.target_col": "0",
            "prediction.path": answers,
        }
        return self._yoyodyne("predict", folder, options)

    def answers(self, questions: List[Inflection], path: str) -> List[str]:
        return [line.text for line in read_lines(path)]

    def _yoyodyne(self, subcommand: str, folder: str, options: Dict[str, str]) -> List[str]:
        run_folder = os.path.join(folder, "run")
        folders = {"data.model_dir": run_folder, "trainer.default_root_dir": run_folder}
        given = [f"--{name}={value}" for name, value in {**folders, **options}.items()]
        return [self._command, subcommand, "--config", YOYODYNE_CONFIG, *given]


def main() -> None:
    arguments = parse_arguments()
    models: List[Peer] = [Ours(config) for config in arguments.configs]
    if arguments.yoyodyne:
        models.append(Yoyodyne(arguments.yoyodyne))
    measure_all(models, arguments, measure, FIGURES)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0].strip())
    add_cell_arguments(parser)
    parser.add_argument("--yoyodyne", metavar="PYTHON", help="the Python it is installed for")
    parser.add_argument("--output", default="experiments/inflectors.tsv")
    parser.add_argument("--runs", default="runs/inflectors")
    return parser.parse_args()


def yoyodyne_version(python: str) -> str:
    script = "from importlib.metadata import version; print(version('yoyodyne'))"
    try:
        answer = subprocess.run([python, "-c", script], capture_output=True, check=True, text=True)
    except OSError as error:
        raise SystemExit(f"{python} cannot be run: {error.strerror}. {INSTALLATION}") from None
    except subprocess.CalledProcessError:
        raise SystemExit(f"{python} has no yoyodyne. {INSTALLATION}") from None
    return answer.stdout.strip()


def measure(model: Peer, cell: Dict[str, str], arguments: argparse.Namespace) -> Dict[str, str]:
    data = data_of(params_of_cell(cell, DATA_CONFIG, arguments), cell, distinct_triples)
    folder = new_folder(model, cell, arguments)
    treebank = os.path.join(arguments.treebanks, cell["language"])
    fitting = run(model.fit(cell, treebank, data, folder), os.path.join(folder, "fit.log"))
    questions = questions_about(data.split)
    first = predict(model, folder, "first", questions[:1])
    everything = predict(model, folder, "all", questions)
    answers = model.answers(questions, os.path.join(folder, "all.answers.tsv"))
    return {
        "accuracy": f"{accuracy(data.split, questions, answers):.2f}",
        "fit_cpu_seconds": f"{fitting.cpu_seconds:.1f}",
        "forms_per_cpu_second": rate(len(questions) - 1, everything - first),
        "peak_mb": f"{fitting.peak_bytes / 1e6:.0f}",
    }


def distinct_triples(sentences: Iterator[Sentence]) -> List[Triple]:
    return list(dict.fromkeys(triples_of(sentences)))


def predict(model: Peer, folder: str, name: str, questions: List[Inflection]) -> float:
    """Writes the questions and their answers; the CPU-seconds that answering takes."""
    asked = os.path.join(folder, f"{name}.questions.tsv")
    answers = os.path.join(folder, f"{name}.answers.tsv")
    model.ask(questions, asked)
    command = model.predict(folder, asked, answers)
    return prediction_seconds(command, answers, os.path.join(folder, f"{name}.log"))


def accuracy(triples: List[Triple], questions: List[Inflection], answers: List[str]) -> float:
    """In percent; a question that has several forms among the triples is right for one at most."""
    asked = [(lemma, tag) for lemma, _, tag in questions]
    forms = dict(zip(asked, answers, strict=True))
    right = sum(forms[lemma, tag] == form for form, lemma, tag in triples)
    return 100 * right / len(triples)


def write_yoyodyne(path: str, inflections: Iterable[Union[Inflection, Triple]]) -> None:
    """Source, target and features; unlike a UniMorph file, quotation marks are quoted."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        for inflection in inflections:
            writer.writerow((inflection.lemma, inflection.form, inflection.tag))


if __name__ == "__main__":
    main()
