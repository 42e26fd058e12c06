"""What the predictors share: a line of input is a JSON object."""

import json

from allennlp.common.util import JsonDict
from allennlp.predictors import Predictor

from allennlp_svae.data.errors import DataError


class JsonLinesPredictor(Predictor):
    """Base of the predictors; `example` is a line as they want it."""

    example = "{}"

    def load_line(self, line: str) -> JsonDict:
        """
        # Raises

        `DataError` where the line is not a JSON object.
        """
        try:
            inputs = json.loads(line)
        except json.JSONDecodeError as error:
            raise DataError(
                f"Not JSON: {line.strip()!r}.", remedy=f"write {self.example}."
            ) from error
        if not isinstance(inputs, dict):
            raise DataError(
                f"Not a JSON object: {line.strip()!r}.", remedy=f"write {self.example}."
            )
        return inputs
