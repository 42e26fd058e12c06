"""
What `allennlp predict` does with the predictors of this package: it never writes over a file (AllenNLP empties its
`--output-file` before it reads the input, which may be the same file), gives it its name when it is whole, says which
line of the input cannot be used, and can share the work among processes.
"""

import json
import os
import sys
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Iterator, List, NamedTuple, Optional, TextIO

from allennlp.commands import predict
from allennlp.commands.predict import _PredictManager
from allennlp.common.file_utils import cached_path
from allennlp.common.util import JsonDict, lazy_groups_of
from allennlp.data.dataset_readers.dataset_reader import WorkerInfo
from allennlp.predictors import Predictor

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.text_file import Line, check_new, decoded, read_lines
from allennlp_svae.predictors.json_lines import JsonLinesPredictor
from allennlp_svae.predictors.processes import in_processes
from allennlp_svae.training.whole_file import whole_text

STANDARD_INPUT = "-"


class Question(NamedTuple):
    """A line of the input and what it asks."""

    line: int
    item: JsonDict


class Answer(NamedTuple):
    """What is written for one item of the input, and how that item is shown, if it is."""

    prediction: str
    item: Optional[str]


class PredictManager(_PredictManager):
    """
    AllenNLP's own, but for what the module says.

    # Raises

    `DataError` where the output file exists or its folder does not, several processes are to read standard input or a
    pipe, the predictor has no use for a dataset reader, or a line cannot be used.
    """

    def __init__(
        self,
        predictor: JsonLinesPredictor,
        input_file: str,
        output_file: Optional[str],
        batch_size: int,
        print_to_console: bool,
        has_dataset_reader: bool,
        *rest: Any,
    ) -> None:
        if batch_size < 1:
            raise DataError("--batch-size is less than 1.", remedy="name a positive number.")
        if has_dataset_reader and not predictor.other_input:
            raise DataError(
                "The predictor reads JSON lines alone.", remedy="leave --use-dataset-reader out."
            )
        # What is piped can be read once.
        is_pipe = input_file == STANDARD_INPUT or Path(input_file).is_fifo()
        if predictor.processes > 1 and is_pipe:
            raise DataError(
                "Several processes cannot read standard input or a pipe.",
                remedy="name a file, or leave out `processes`.",
            )
        if output_file is not None and not _is_stream(output_file):
            check_new(output_file, "--output-file")
        arguments = (batch_size, print_to_console, has_dataset_reader, *rest)
        super().__init__(predictor, input_file, None, *arguments)
        self._output_path = output_file

    def run(self) -> None:
        with _output(self._output_path) as self._output_file:
            answers = in_processes(self._answers, self._predictor)
            for index, (prediction, item) in enumerate(answers):
                self._maybe_print_to_console_and_file(index, prediction, item)

    def _answers(self, first: int, step: int) -> Iterator[Answer]:
        """To the items of the input from the `first` on, every `step`-th."""
        shown = self._print_to_console
        if self._dataset_reader is None:
            mine = islice(self._questions(), first, None, step)
            for questions in lazy_groups_of(mine, self._batch_size):
                for question, prediction in zip(questions, self._predicted(questions), strict=True):
                    yield Answer(prediction, json.dumps(question.item) if shown else None)
            return
        if step > 1:
            self._dataset_reader._set_worker_info(WorkerInfo(num_workers=step, id=first))
        for instances in lazy_groups_of(self._get_instance_data(), self._batch_size):
            predictions = self._predict_instances(instances)
            for instance, prediction in zip(instances, predictions, strict=True):
                yield Answer(prediction, str(instance) if shown else None)

    def _questions(self) -> Iterator[Question]:
        for line in self._lines():
            if line.text.strip():
                try:
                    item = self._predictor.load_line(line.text)
                except DataError as error:
                    raise self._of_line(line.number, error) from error
                yield Question(line.number, item)

    def _lines(self) -> Iterator[Line]:
        path = self._input_file
        if path == STANDARD_INPUT:
            yield from decoded(sys.stdin.buffer, self._input_name)
        elif "://" in path:
            with open(cached_path(path), "rb") as file:
                yield from decoded(file, path)
        else:
            yield from read_lines(path)

    def _predicted(self, questions: List[Question]) -> List[str]:
        try:
            return [*self._predict_json([question.item for question in questions])]
        except DataError:
            for line, item in questions:
                try:
                    self._predictor.predict_json(item)
                except DataError as error:
                    raise self._of_line(line, error) from error
            raise

    def _of_line(self, number: int, error: DataError) -> DataError:
        return DataError(error.problem, self._input_name, number, error.remedy)

    @property
    def _input_name(self) -> str:
        """For messages."""
        return "standard input" if self._input_file == STANDARD_INPUT else self._input_file


def _is_stream(path: str) -> bool:
    """Whether it is there and holds nothing, as a device or a pipe."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


@contextmanager
def _output(path: Optional[str]) -> Iterator[Optional[TextIO]]:
    """What is written to: a file that has its name when it is whole."""
    if path is None:
        yield None
    elif _is_stream(path):
        with open(path, "w", encoding="utf-8") as stream:
            yield stream
    else:
        with whole_text(path) as file:
            yield file


def _manager_of(predictor: Predictor, *arguments: Any) -> _PredictManager:
    """Ours for the predictors of this package, AllenNLP's for others."""
    if isinstance(predictor, JsonLinesPredictor):
        return PredictManager(predictor, *arguments)
    return _PredictManager(predictor, *arguments)


predict._PredictManager = _manager_of
