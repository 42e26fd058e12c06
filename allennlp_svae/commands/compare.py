"""`allennlp compare`: one small table of what several runs reach on one file."""

import argparse
import os
from typing import Dict, List, Tuple

from allennlp.commands import Subcommand
from allennlp.data import DatasetReader
from allennlp.models import Archive, Model

from allennlp_svae.dataset_readers.svae import SvaeReader
from allennlp_svae.models.parts import part_of
from allennlp_svae.training.archives import open_archive
from allennlp_svae.training.instances_loader import evaluation_loader
from allennlp_svae.training.part_training import measure

# What the columns are called, by the metric they show; and the parts of the composite that have these.
COLUMNS = {
    "inflection_accuracy": "inflection",
    "tag_accuracy": "tag",
    "lemma_accuracy": "lemma",
    "joint_accuracy": "tag+lemma",
}
OWNERS = ("inflector", "tagger_lemmatizer")


@Subcommand.register("compare")
class Compare(Subcommand):
    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        description = (
            "Evaluates trained models on one treebank file and prints a table of inflection accuracy "
            "(distinct triples) and, where a model has a tagger-lemmatizer, its accuracies (tokens)."
        )
        subparser = parser.add_parser(
            self.name, description=description, help="Compare runs on one file."
        )
        subparser.add_argument("input_file", help="the data to evaluate on, e.g. test.conllu")
        subparser.add_argument(
            "archives",
            nargs="+",
            metavar="[NAME=]ARCHIVE",
            help="a run's folder or its model.tar.gz, with a name for its row",
        )
        subparser.set_defaults(func=compare_from_args)
        return subparser


def compare_from_args(args: argparse.Namespace) -> List[Tuple[str, Dict[str, float]]]:
    rows = []
    tagsets: Dict[str, str] = {}
    for argument in args.archives:
        # A path may hold the sign too.
        name, is_named, path = argument.partition("=")
        if not is_named or os.path.exists(argument):
            name = path = argument
        archive = open_archive(path)
        rows.append((name, evaluate_parts(archive, args.input_file)))
        tagsets[name] = archive.validation_dataset_reader.tagset
    print(table(rows))
    if len(set(tagsets.values())) > 1:
        of_each = ", ".join(f"{name} {tagset}" for name, tagset in tagsets.items())
        print(
            f"Their tags are not the same ({of_each}): figures of different tagsets do not compare."
        )
    return rows


def evaluate_parts(archive: Archive, data_path: str) -> Dict[str, float]:
    """The columns' figures, as fractions, that this archive's model has."""
    found: Dict[str, float] = {}
    for part, reader in _parts(archive.model, archive.validation_dataset_reader):
        metrics = measure(part, evaluation_loader(reader.read(data_path), archive.model.vocab))
        found.update({COLUMNS[key]: value for key, value in metrics.items() if key in COLUMNS})
    return found


def _parts(model: Model, reader: DatasetReader) -> List[Tuple[Model, DatasetReader]]:
    if isinstance(reader, SvaeReader):
        return [(part_of(model, owner), reader.readers[owner]) for owner in OWNERS]
    return [(model, reader)]


def table(rows: List[Tuple[str, Dict[str, float]]]) -> str:
    """Rows of percentages, right-aligned; `-` where a model has no such figure."""
    headings = ["", *COLUMNS.values()]
    cells = [
        [name, *(f"{100 * row[key]:.1f}" if key in row else "-" for key in headings[1:])]
        for name, row in rows
    ]
    widths = [max(map(len, column)) for column in zip(headings, *cells, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if number == 0 else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in [headings, *cells]
    )
