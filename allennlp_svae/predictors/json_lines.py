"""What the predictors share: a line of input is a JSON object."""

import json
import logging
from inspect import signature
from multiprocessing import get_all_start_methods
from typing import Any, FrozenSet, List, Set

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader
from allennlp.models import Model
from allennlp.predictors import Predictor

from allennlp_svae.data.errors import DataError

logger = logging.getLogger(__name__)

BYTE_ORDER_MARK = "\ufeff"
SHOWN = 200
_NO_ARGUMENTS = ("self", "model", "dataset_reader", "frozen", "kwargs", "unknown")


def shown(value: Any) -> str:
    """Of a line or what it holds, for messages: its beginning."""
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} …"


class JsonLinesPredictor(Predictor):
    """
    Base of the predictors.

    # Parameters

    model, dataset_reader, frozen
        As in `Predictor`.
    processes : `int`, optional (default = `1`)
        How many `allennlp predict` shares a file among; set it with `--predictor-args '{"processes": 2}'`. Each has a
        core and, of the memory, what it changes.

    # Attributes

    example : `str`
        A line as they want it.
    keys : `FrozenSet[str]`
        What it may have; others are warned of and not looked at.
    other_input : `str`
        What is read with `--use-dataset-reader`, for messages.

    # Raises

    `ConfigurationError` where there cannot be so many `processes`.
    """

    example = "{}"
    keys: FrozenSet[str] = frozenset()
    other_input = ""

    def __init__(
        self,
        model: Model,
        dataset_reader: DatasetReader,
        frozen: bool = True,
        processes: int = 1,
        **unknown: Any,
    ) -> None:
        super().__init__(model, dataset_reader, frozen)
        if unknown:
            raise ConfigurationError(
                f"There is no predictor argument `{next(iter(unknown))}`; there are {', '.join(self._arguments())}."
            )
        if type(processes) is not int or processes < 1:
            raise ConfigurationError(
                f"`processes` is {processes!r}; it has to be a positive whole number."
            )
        if processes > 1 and (self.cuda_device >= 0 or "fork" not in get_all_start_methods()):
            raise ConfigurationError(
                "Several `processes` can be had on CPUs alone, and not on Windows."
            )
        self.processes = processes
        self._warned: Set[str] = set()

    @classmethod
    def _arguments(cls) -> List[str]:
        """What `--predictor-args` may have."""
        own = (signature(each.__init__).parameters for each in (cls, JsonLinesPredictor))
        names = dict.fromkeys(name for parameters in own for name in parameters)
        return [name for name in names if name not in _NO_ARGUMENTS]

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
            # Half of a surrogate pair can be read and not be written.
            json.dumps(inputs, ensure_ascii=False).encode()
        except (ValueError, RecursionError) as error:
            raise DataError(f"Not JSON: {shown(line)}.", remedy=f"{remedy}.") from error
        if not isinstance(inputs, dict):
            raise DataError(f"Not a JSON object: {shown(line)}.", remedy=f"{remedy}.")
        for key in sorted(inputs.keys() - self.keys):
            known = ", ".join(sorted(self.keys))
            self.warn(key, f'"{key}" of the input is not looked at; what is: {known}.')
        return inputs

    def warn(self, of: str, message: str) -> None:
        """Once of each thing."""
        if of not in self._warned:
            self._warned.add(of)
            logger.warning(message)
