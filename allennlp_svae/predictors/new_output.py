"""
Keeps `allennlp predict` from writing over a file: AllenNLP empties its `--output-file` before it reads the input, which
may be the same file.
"""

import os
from typing import Any, Optional

from allennlp.commands import predict
from allennlp.predictors import Predictor

from allennlp_svae.data.errors import DataError
from allennlp_svae.predictors.json_lines import JsonLinesPredictor


class NewOutput(predict._PredictManager):
    """
    AllenNLP's own, which refuses a file that is there, of the predictors of this package.

    # Raises

    `DataError` where the output file exists or its folder does not.
    """

    def __init__(
        self, predictor: Predictor, input_file: str, output_file: Optional[str], *rest: Any
    ) -> None:
        if output_file is not None and isinstance(predictor, JsonLinesPredictor):
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
        super().__init__(predictor, input_file, output_file, *rest)


predict._PredictManager = NewOutput
