"""`allennlp errors`: where the errors of one inflector are, on the distinct triples of one file."""

import argparse
from typing import Any, Dict, List, Optional

from allennlp.commands import Subcommand
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Archive

from allennlp_svae.commands.error_breakdown import (
    Item,
    breakdown,
    casing_of,
    table,
    write_items,
)
from allennlp_svae.data.casing import differ_in_case
from allennlp_svae.data.errors import DataError
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.text_file import check_new
from allennlp_svae.dataset_readers.inflections import LEMMAS, MORPHOLOGY, strings_of
from allennlp_svae.models.parts import part_of, reader_of
from allennlp_svae.training.archives import open_archive
from allennlp_svae.training.inflection_metrics import levenshtein
from allennlp_svae.training.whole_file import whole_text


@Subcommand.register("errors")
class Errors(Subcommand):
    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        description = (
            "Predicts the form of each distinct triple of a file and prints where the errors are: by "
            "tags and lemmas seen in training, casing, edit distance and part of speech."
        )
        subparser = parser.add_parser(
            self.name, description=description, help="Show where an inflector's errors are."
        )
        subparser.add_argument("archive", help="a run's folder or its model.tar.gz")
        subparser.add_argument(
            "input_file", help="CoNLL-U or UniMorph .tsv; lines without a form are not counted"
        )
        subparser.add_argument(
            "--beam",
            type=int,
            metavar="N",
            help="width of the beam instead of the model's own; 1 decodes greedily",
        )
        subparser.add_argument(
            "--output", metavar="FILE.tsv", help="a new file for all items, one a line"
        )
        subparser.set_defaults(func=errors_from_args)
        return subparser


def errors_from_args(args: argparse.Namespace) -> List[Item]:
    if args.beam is not None and args.beam < 1:
        raise ConfigurationError(f"--beam is {args.beam}; it must be positive.")
    if args.output is not None:
        check_new(args.output, "--output")
    items = predicted_items(load_with_beam(args.archive, args.beam), args.input_file)
    print(table(breakdown(items), len(items), sum(not item.correct for item in items)))
    if args.output is not None:
        with whole_text(args.output) as file:
            write_items(file, items)
    return items


def load_with_beam(path: str, beam: Optional[int] = None) -> Archive:
    """
    The archive, its inflector's beam search as wide as `beam` if that is given.

    # Raises

    `DataError` where it has no inflector, or one that searches nothing.
    """
    archive = open_archive(path)
    if beam is not None:
        inflector = part_of(archive.model, "inflector")
        if inflector.beam_size is None:
            raise DataError(
                f"The archive's {type(inflector).__name__} has no beam search.",
                remedy="leave --beam out.",
            )
        inflector.beam_size = beam
    return archive


def predicted_items(archive: Archive, data_path: str) -> List[Item]:
    """
    The distinct triples of a data path with the archive's predictions.

    # Raises

    `DataError` where no triple has a form.
    """
    inflector = part_of(archive.model, "inflector")
    reader = reader_of(archive.validation_dataset_reader, "inflector")
    reader.allow_missing_form = True
    instances = [one for one in reader.read(data_path) if strings_of(one)["form"] is not None]
    if not instances:
        raise DataError(
            "There is nothing to evaluate on: no line has a form.",
            data_path,
            remedy="write lemma, form and features, separated by tabs.",
        )
    best = [candidates[0] for candidates in inflector.inflect(instances)]
    return [
        _item(strings_of(instance), form, log_prob, archive.model.vocab)
        for instance, (form, log_prob) in zip(instances, best, strict=True)
    ]


def _item(strings: Dict[str, Any], predicted: str, log_prob: float, vocab: Vocabulary) -> Item:
    lemma, tag, gold = strings["lemma"], strings["tag"], strings["form"]
    return Item(
        lemma=lemma,
        tag=tag,
        gold=gold,
        predicted=predicted,
        log_prob=float(log_prob),
        correct=predicted == gold,
        right_but_for_case=differ_in_case(predicted, gold),
        seen_tag=tag in vocab.get_token_to_index_vocabulary(MORPHOLOGY),
        seen_lemma=lemma in vocab.get_token_to_index_vocabulary(LEMMAS),
        casing=casing_of(gold, lemma),
        lemma_to_gold=levenshtein(lemma, gold),
        predicted_to_gold=levenshtein(predicted, gold),
        pos=MorphTag.parse(tag).pos,
    )
