"""The parts of a composite model that predictors speak to; a part trained alone is its own."""

from allennlp.data import DatasetReader
from allennlp.models import Model

from allennlp_svae.models.inflection_model import InflectionModel


def inflector_of(model: Model) -> InflectionModel:
    """The model itself, or the inflector of an `svae`."""
    part = getattr(model, "inflector", model)
    assert isinstance(part, InflectionModel)
    return part


def inflections_reader_of(reader: DatasetReader) -> DatasetReader:
    """The reader itself, or the inflector's among those of an `svae`."""
    return getattr(reader, "readers", {"inflector": reader})["inflector"]
