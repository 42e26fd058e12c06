"""The inflector that callbacks for inflectors speak to."""

from allennlp.common.checks import ConfigurationError
from allennlp.models import Model

from allennlp_svae.models.inflection_model import InflectionModel


def inflector_of(model: Model) -> InflectionModel:
    """
    The model itself, or the inflector of an `svae`.

    # Raises

    `ConfigurationError` where there is none.
    """
    inflector = getattr(model, "inflector", model)
    if not isinstance(inflector, InflectionModel):
        raise ConfigurationError(
            f"A {type(model).__name__} neither is nor has an inflector. Remedy: leave out the callbacks that are "
            "for inflectors."
        )
    return inflector
