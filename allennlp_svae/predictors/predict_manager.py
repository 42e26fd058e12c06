"""
What `allennlp predict` does with the predictors of this package: it never writes over a file (AllenNLP empties its
`--output-file` before it reads the input, which may be the same file), says which line of the input cannot be used, and
can share the work among processes.
"""

import json
import sys
from itertools import islice
from pathlib import Path
from typing import Any, Iterator, List, NamedTuple, Optional

from allennlp.commands import predict
from allennlp.common.file_utils import cached_path, open_compressed
from allennlp.common.util import JsonDict, lazy_groups_of
from allennlp.data.dataset_readers.dataset_reader import WorkerInfo
from allennlp.predictors import Predictor

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.text_file import Line, check_new, read_lines
from allennlp_svae.predictors.json_lines import JsonLinesPredictor
from allennlp_svae.predictors.processes import in_processes

STANDARD_INPUT = "-"
COMPRESSED = (".gz", ".bz2", ".lzma")


class Question(NamedTuple):
    """A line of the input and what it asks."""

    line: int
    item: JsonDict


class Answer(NamedTuple):
    """What is written for one item of the input, and how that item is shown, if it is."""

    prediction: str
    item: Optional[str]


class PredictManager(predict._PredictManager):
    """
    AllenNLP's own, but for what the module says.

    # Raises

    `DataError` where the output file exists or its folder does not, several processes are to read standard input, or
    a line cannot be used.
    """

    def __init__(
        self, predictor: Predictor, input_file: str, output_file: Optional[str], *rest: Any
    ) -> None:
        if isinstance(predictor, JsonLinesPredictor):
            if output_file is not None and not Path(output_file).is_char_device():
                check_new(output_file, "--output-file")
            if predictor.processes > 1 and input_file == STANDARD_INPUT:
                raise DataError(
                    "Several processes cannot read standard input.",
                    remedy="name a file, or leave out `processes`.",
                )
        super().__init__(predictor, input_file, output_file, *rest)

    def run(self) -> None:
        if not isinstance(self._predictor, JsonLinesPredictor):
            super().run()
            return
        answers = in_processes(self._answers, self._predictor)
        try:
            for index, (prediction, item) in enumerate(answers):
                self._maybe_print_to_console_and_file(index, prediction, item)
        finally:
            if self._output_file is not None:
                self._output_file.close()

    def _answers(self, first: int, step: int) -> Iterator[Answer]:
        """To the items of the input from the `first` on, every `step`-th."""
        shown = self._print_to_console
        if self._dataset_reader is None:
            for questions in lazy_groups_of(
                islice(self._questions(), first, None, step), self._batch_size
            ):
                for question, prediction in zip(questions, self._predicted(questions), strict=True):
                    yield Answer(prediction, json.dumps(question.item) if shown else None)
            return
        if step > 1:
            self._dataset_reader._set_worker_info(WorkerInfo(num_workers=step, id=first))
        for instances in lazy_groups_of(self._get_instance_data(), self._batch_size):
            for instance, prediction in zip(
                instances, self._predict_instances(instances), strict=True
            ):
                yield Answer(prediction, str(instance) if shown else None)

    def _questions(self) -> Iterator[Question]:
        for line in self._lines():
            if line.text.strip():
                try:
                    yield Question(line.number, self._predictor.load_line(line.text))
                except DataError as error:
                    raise self._of_line(line.number, error) from error

    def _lines(self) -> Iterator[Line]:
        path = self._input_file
        if path == STANDARD_INPUT:
            yield from map(Line._make, enumerate(sys.stdin, start=1))
        elif "://" in path or path.endswith(COMPRESSED):
            with open_compressed(cached_path(path)) as file:
                yield from map(Line._make, enumerate(file, start=1))
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
        path = "standard input" if self._input_file == STANDARD_INPUT else self._input_file
        return DataError(error.problem, path, number, error.remedy)


predict._PredictManager = PredictManager
