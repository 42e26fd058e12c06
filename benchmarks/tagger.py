"""
Compares tagger-lemmatizers with UDPipe 1, by accuracy, time and memory:

    pip install -e '.[benchmarks]'
    python -m benchmarks.tagger tagger_lemmatizer --languages tr et --labeled 500 1000 5000

The first line, once, installs UDPipe's Python binding; where that is not, the configs are measured alone.

All models learn from the same labelled portion, choose their best epoch on the same dev, are asked the same
sentences of the split without their annotation, and are measured on it; none is given XPOS. Each runs by its own
command line, in a process of its own, on one thread unless `OMP_NUM_THREADS` says otherwise and without GPU:

- `tag`, `lemma`, `joint`: exact matches in percent of the split's words that are annotated with it, whole tags;
  `tag*`, `lemma*`, `joint*`: less what `benchmarks/starred.py` leaves out;
- `fit_cpu_seconds`: user and system time of fitting, start-up and looking at dev included;
- `tokens_per_cpu_second`: of annotating the split, less what it takes to annotate its first sentence alone; each
  is the least of three times, since whatever else the machine does only adds to them. Empty where nothing is left;
- `peak_mb`: the most memory that a process held in fitting, in 10^6 bytes.

A row that the result file holds is not measured again. A run that was stopped starts anew, since its time
is not known, in another folder.
"""

import argparse
import os
import sys
from importlib import metadata
from typing import Dict, Iterator, List, Protocol

from allennlp_svae.data.conllu_format import write_sentences
from allennlp_svae.data.sentence import Sentence
from allennlp_svae.data.treebank import read_sentences
from allennlp_svae.training.tagging_accuracy import TaggingAccuracy
from benchmarks import inflectors
from benchmarks.cells import add_cell_arguments
from benchmarks.peers import (
    Data,
    data_of,
    measure_all,
    new_folder,
    params_of_cell,
    prediction_seconds,
    rate,
)
from benchmarks.starred import starred
from benchmarks.usage import run

ACCURACIES = ["tag", "lemma", "joint"]
ACCURACY_FIGURES = [f"{name}{star}" for name in ACCURACIES for star in ("", "*")]
FIGURES = [
    *ACCURACY_FIGURES,
    "fit_cpu_seconds",
    "tokens_per_cpu_second",
    "peak_mb",
]

# The config whose paths and reader say what all models learn from.
DATA_CONFIG = "tagger_lemmatizer"
UDPIPE = "ufal.udpipe"
# How many sentences we annotate at a time.
BATCH_SIZE = "32"


class Peer(Protocol):
    """A tagger-lemmatizer with a command line. Each run has a folder of its own."""

    name: str

    def fit(
        self, cell: Dict[str, str], treebank: str, data: Data[Sentence], folder: str
    ) -> List[str]:
        """Writes into the folder what fitting reads; the command that fits."""

    def predict(self, folder: str, questions: str, answers: str) -> List[str]:
        """The command that annotates a CoNLL-U file."""


class Ours(inflectors.Ours):
    """A config of training_config/, by `allennlp train` and `allennlp predict`."""

    def predict(self, folder: str, questions: str, answers: str) -> List[str]:
        archive = os.path.join(folder, "run", "model.tar.gz")
        options = ["--predictor", "analyze", "--use-dataset-reader", "--batch-size", BATCH_SIZE]
        output = ["--output-file", answers, "--silent"]
        return self._allennlp("predict", archive, questions, *options, *output)

    @staticmethod
    def _allennlp(*arguments: str) -> List[str]:
        package = ["--include-package", "benchmarks.ablation"]
        return [*inflectors.Ours._allennlp(*arguments), *package]


class UDPipe:
    """
    Tagger and lemmatizer as benchmarks/udpipe.py runs them.

    # Raises

    `PackageNotFoundError` where it is not installed.
    """

    def __init__(self) -> None:
        self.name = f"udpipe-{metadata.version(UDPIPE)}"

    def fit(
        self, cell: Dict[str, str], treebank: str, data: Data[Sentence], folder: str
    ) -> List[str]:
        train, dev = os.path.join(folder, "train.conllu"), os.path.join(folder, "dev.conllu")
        write_sentences(train, data.train, cell["tagset"])
        write_sentences(dev, data.dev, cell["tagset"])
        return self._udpipe("fit", train, dev, self._model(folder))

    def predict(self, folder: str, questions: str, answers: str) -> List[str]:
        return self._udpipe("predict", self._model(folder), questions, answers)

    @staticmethod
    def _model(folder: str) -> str:
        return os.path.join(folder, "model.udpipe")

    @staticmethod
    def _udpipe(*arguments: str) -> List[str]:
        return [sys.executable, "-m", "benchmarks.udpipe", *arguments]


def main() -> None:
    arguments = parse_arguments()
    ours: List[Peer] = [Ours(config) for config in arguments.configs]
    models = [*ours, *installed_peers()]
    measure_all(models, arguments, measure, FIGURES)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0].strip())
    add_cell_arguments(parser)
    parser.set_defaults(tagset="ud")
    parser.add_argument("--output", default="experiments/tagger.tsv")
    parser.add_argument("--runs", default="runs/tagger")
    return parser.parse_args()


def installed_peers() -> Iterator[Peer]:
    try:
        yield UDPipe()
    except metadata.PackageNotFoundError:
        print(
            "UDPipe is not installed and not measured. To have it: pip install -e '.[benchmarks]'",
            file=sys.stderr,
        )


def measure(model: Peer, cell: Dict[str, str], arguments: argparse.Namespace) -> Dict[str, str]:
    data = data_of(params_of_cell(cell, DATA_CONFIG, arguments), cell, with_words)
    folder = new_folder(model, cell, arguments)
    treebank = os.path.join(arguments.treebanks, cell["language"])
    fitting = run(model.fit(cell, treebank, data, folder), os.path.join(folder, "fit.log"))
    first = predict(model, folder, "first", data.split[:1])
    everything = predict(model, folder, "all", data.split)
    answers = list(read_sentences(os.path.join(folder, "all.answers.conllu"), cell["tagset"]))
    return {
        **accuracies(data.split, answers),
        "fit_cpu_seconds": f"{fitting.cpu_seconds:.1f}",
        "tokens_per_cpu_second": rate(sum(map(len, data.split[1:])), everything - first),
        "peak_mb": f"{fitting.peak_bytes / 1e6:.0f}",
    }


def with_words(sentences: Iterator[Sentence]) -> List[Sentence]:
    return [sentence for sentence in sentences if sentence.tokens]


def predict(model: Peer, folder: str, name: str, sentences: List[Sentence]) -> float:
    """Writes the sentences bare and annotated; the CPU-seconds that annotating takes."""
    questions = os.path.join(folder, f"{name}.questions.conllu")
    answers = os.path.join(folder, f"{name}.answers.conllu")
    write_sentences(questions, (each.without_annotation() for each in sentences))
    command = model.predict(folder, questions, answers)
    return prediction_seconds(command, answers, os.path.join(folder, f"{name}.log"))


def accuracies(gold: List[Sentence], answers: List[Sentence]) -> Dict[str, str]:
    """In percent."""
    if [each.forms for each in answers] != [each.forms for each in gold]:
        raise ValueError("The answers have other words than the split.")
    figures = {}
    for star, seen in {"": lambda sentence: sentence, "*": starred}.items():
        metric = TaggingAccuracy()
        metric([seen(each).tokens for each in answers], [seen(each).tokens for each in gold])
        found = metric.get_metric()
        figures.update({f"{name}{star}": found[f"{name}_accuracy"] for name in ACCURACIES})
    return {name: f"{100 * figure:.2f}" for name, figure in figures.items()}


if __name__ == "__main__":
    main()
