"""
Says what dreams gain: how the inference network of each iteration of finished `svae` runs annotates their dev.

    python -m benchmarks.cells svae --languages tr et --labeled 500 1000 --split test
    python -m benchmarks.dreams runs/cells/svae-*

In the first iteration it has learned from the labelled data alone, later from dreams as well: `dreamed` tells how many
words. The last line of a run, `q and p`, is of the network that has the last and asks the inflector too. Figures are
those of `benchmarks.tagger`. A run that the result file holds is not measured again.
"""

import argparse
import os
from glob import escape, glob
from typing import Dict, Iterator

from allennlp.models import load_archive

import allennlp_svae  # noqa: F401
from allennlp_svae.data.treebank import read_sentences
from allennlp_svae.training.part_training import load_finished
from benchmarks.cells import append, circumstances, measured
from benchmarks.tagger import ACCURACY_FIGURES, accuracies

KEY = ["run", "iteration"]
COLUMNS = [*KEY, "dreamed", *ACCURACY_FIGURES, "date", "machine"]
PART = "tagger_lemmatizer"
TOGETHER = "q and p"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0].strip())
    parser.add_argument("runs", nargs="+", help="folders of finished runs of an svae")
    parser.add_argument("--output", default="experiments/dreams.tsv")
    arguments = parser.parse_args()
    known = {row["run"] for row in measured(arguments.output, KEY)}
    for run in arguments.runs:
        name = os.path.basename(os.path.normpath(run))
        if name not in known:
            # All of a run or nothing: one that is there is passed over.
            for row in list(rows_of(run)):
                append({"run": name, **row, **circumstances()}, arguments.output, COLUMNS)
                print(name, *row.values(), sep="\t", flush=True)


def rows_of(run: str) -> Iterator[Dict[str, str]]:
    """
    For each iteration its number, how many words were dreamed for it, and its network's figures on dev; then those of
    the network that asks the inflector, if there is one.
    """
    archive = load_archive(run)
    network, together = archive.model.tagger_lemmatizer, archive.model.part(PART)
    reader = archive.dataset_reader.readers[PART]
    dev = archive.config["validation_data_path"]
    gold = list(reader.sentences(dev))
    instances = [reader.text_to_instance(each.without_annotation()) for each in gold]
    folders = glob(os.path.join(escape(run), "wake_sleep", "iteration_*"))
    for folder in sorted(folders, key=number_of):
        load_finished(network, os.path.join(folder, PART))
        dreams = os.path.join(folder, "dreams.conllu")
        dreamed = sum(map(len, read_sentences(dreams))) if os.path.exists(dreams) else 0
        yield {
            "iteration": str(number_of(folder)),
            "dreamed": str(dreamed),
            **accuracies(gold, network.annotate(instances)),
        }
    if together is not network:
        yield {
            "iteration": TOGETHER,
            "dreamed": str(dreamed),
            **accuracies(gold, together.annotate(instances)),
        }


def number_of(folder: str) -> int:
    return int(folder.rsplit("_", 1)[1])


if __name__ == "__main__":
    main()
