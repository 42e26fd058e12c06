"""
What `allennlp predict` does with the predictors of this package: it never writes over a file (AllenNLP empties its
`--output-file` before it reads the input, which may be the same file), and can share the work among processes.
"""

import json
import os
from itertools import islice
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Optional

from allennlp.commands import predict
from allennlp.common.util import lazy_groups_of
from allennlp.data.dataset_readers.dataset_reader import WorkerInfo
from allennlp.predictors import Predictor

from allennlp_svae.data.errors import DataError
from allennlp_svae.predictors.json_lines import JsonLinesPredictor
from allennlp_svae.predictors.processes import in_processes

STANDARD_INPUT = "-"


class Answer(NamedTuple):
    """What is written for one item of the input, and how that item is shown, if it is."""

    prediction: str
    item: Optional[str]


class PredictManager(predict._PredictManager):
    """
    AllenNLP's own, but for what the module says.

    # Raises

    `DataError` where the output file exists or its folder does not, or several processes are to read standard input.
    """

    def __init__(
        self, predictor: Predictor, input_file: str, output_file: Optional[str], *rest: Any
    ) -> None:
        if isinstance(predictor, JsonLinesPredictor):
            if output_file is not None:
                _check_new(output_file)
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
        predicted: Callable[[Any], Iterable[str]]
        shown: Callable[[Any], str]
        if self._dataset_reader is None:
            items = islice(self._get_json_data(), first, None, step)
            predicted, shown = self._predict_json, json.dumps
        else:
            if step > 1:
                self._dataset_reader._set_worker_info(WorkerInfo(num_workers=step, id=first))
            items = self._get_instance_data()
            predicted, shown = self._predict_instances, str
        for batch in lazy_groups_of(items, self._batch_size):
            for item, prediction in zip(batch, predicted(batch), strict=True):
                yield Answer(prediction, shown(item) if self._print_to_console else None)


def _check_new(output_file: str) -> None:
    # Not a device, as /dev/null is.
    if os.path.isfile(output_file):
        raise DataError(
            "The file exists and is left as it is.",
            output_file,
            remedy="name another --output-file, or remove this one.",
        )
    folder = os.path.dirname(output_file)
    if folder and not os.path.isdir(folder):
        raise DataError(
            "There is no folder for --output-file.",
            folder,
            remedy="create it, or name another.",
        )


predict._PredictManager = PredictManager
