"""What the predictors share: a line of input is a JSON object."""

import json
import logging
from typing import FrozenSet, Set

from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader
from allennlp.models import Model
from allennlp.predictors import Predictor

from allennlp_svae.data.errors import DataError

logger = logging.getLogger(__name__)

BYTE_ORDER_MARK = "\ufeff"


class JsonLinesPredictor(Predictor):
    """
    Base of the predictors.

    # Attributes

    example : `str`
        A line as they want it.
    keys : `FrozenSet[str]`
        What it may have; others are warned of and not looked at.
    other_input : `str`
        What is read with `--use-dataset-reader`, for messages.
    """

    example = "{}"
    keys: FrozenSet[str] = frozenset()
    other_input = ""

    def __init__(self, model: Model, dataset_reader: DatasetReader, frozen: bool = True) -> None:
        super().__init__(model, dataset_reader, frozen)
        self._warned: Set[str] = set()

    def load_line(self, line: str) -> JsonDict:
        """
        # Raises

        `DataError` where the line is not a JSON object.
        """
        line = line.strip().removeprefix(BYTE_ORDER_MARK)
        remedy = f"write {self.example}"
        if self.other_input:
            remedy += f", or add --use-dataset-reader to the command for {self.other_input}"
        try:
            inputs = json.loads(line)
        except json.JSONDecodeError as error:
            raise DataError(f"Not JSON: {line!r}.", remedy=f"{remedy}.") from error
        if not isinstance(inputs, dict):
            raise DataError(f"Not a JSON object: {line!r}.", remedy=f"{remedy}.")
        for key in sorted(inputs.keys() - self.keys):
            known = ", ".join(sorted(self.keys))
            self._warn(key, f'"{key}" of the input is not looked at; what is: {known}.')
        return inputs

    def _warn(self, of: str, message: str) -> None:
        """Once of each thing."""
        if of not in self._warned:
            self._warned.add(of)
            logger.warning(message)
