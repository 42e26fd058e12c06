"""The parts of a composite that others speak to; a model or reader of one part is its own."""

from typing import Any

from allennlp.data import DatasetReader
from allennlp.models import Model

from allennlp_svae.data.errors import DataError
from allennlp_svae.models.inference_network import InferenceNetwork
from allennlp_svae.models.inflection_model import InflectionModel
from allennlp_svae.models.svae import StructuredVAE

KINDS = {"inflector": InflectionModel, "tagger_lemmatizer": InferenceNetwork}


def part_of(model: Model, name: str) -> Any:
    """
    What answers for the part called `name` of an `svae`, or the model itself if it is such a part.

    # Raises

    `DataError` where the archive has no such part.
    """
    part = model.part(name) if isinstance(model, StructuredVAE) else model
    if not isinstance(part, KINDS[name]):
        raise DataError(
            f"The archive holds a {type(model).__name__}, which has no {name}.",
            remedy=f"use an archive of training_config/svae.jsonnet or of {name}.jsonnet.",
        )
    return part


def composite(model: Model) -> StructuredVAE:
    """
    The model, if it is an `svae`.

    # Raises

    `DataError` where it is not.
    """
    if not isinstance(model, StructuredVAE):
        raise DataError(
            f"The archive holds a {type(model).__name__}, and this takes an svae.",
            remedy="use an archive of training_config/svae.jsonnet.",
        )
    return model


def reader_of(reader: DatasetReader, name: str) -> Any:
    """The reader of the part called `name` among those of an `svae`, or the reader itself."""
    return getattr(reader, "readers", {name: reader})[name]
