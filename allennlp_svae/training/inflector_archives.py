"""Inflectors out of finished archives, for models that are made of them or learn from them."""

from typing import List, NamedTuple, Sequence

from allennlp.common.checks import ConfigurationError
from allennlp.models import Model

from allennlp_svae.data.errors import DataError
from allennlp_svae.dataset_readers.treebank_reader import TreebankReader
from allennlp_svae.models.archived_inflector import ArchivedInflector, Blueprint
from allennlp_svae.models.inflection_mixture import ComponentInitializer
from allennlp_svae.models.inflection_model import InflectionModel
from allennlp_svae.models.parts import part_of, reader_of
from allennlp_svae.training.archives import open_archive


class LoadedInflector(NamedTuple):
    """An inflector with its weights, and what describes it."""

    model: InflectionModel
    blueprint: Blueprint


def load_inflector(archive_file: str, tagset: str) -> LoadedInflector:
    """
    The inflector of an archive: the whole model, or that part of an `svae`.

    # Parameters

    archive_file : `str`
        A `model.tar.gz`, or the folder of a finished run.
    tagset : `str`
        The tags that it is going to be asked for.

    # Raises

    `DataError` where there is no such archive, where it holds no inflector, or where that was trained on the
    tags of another tagset.
    """
    archive = open_archive(archive_file)
    try:
        inflector = part_of(archive.model, "inflector")
    except DataError as error:
        raise DataError(error.problem, archive_file, remedy=error.remedy) from error
    reader = archive.dataset_reader
    assert isinstance(reader, TreebankReader)
    if reader.tagset != tagset:
        raise DataError(
            f"The archive was trained with the tagset {reader.tagset!r}, and this run has {tagset!r}.",
            archive_file,
            remedy=f"set `tagset` to {reader.tagset!r}, or name an archive trained with {tagset!r}.",
        )
    model_params, reader_params = archive.config["model"], archive.config["dataset_reader"]
    if inflector is not archive.model:
        model_params = model_params["inflector"]
    if reader_of(reader, "inflector") is not reader:
        reader_params = reader_params["parts"]["inflector"]
    return LoadedInflector(
        inflector, Blueprint.of(model_params, reader_params, archive.model.vocab)
    )


@ComponentInitializer.register("inflector_archives")
class InflectorArchives(ComponentInitializer):
    """
    Fills `archived_inflector`s with those of finished archives.

    # Parameters

    archives : `List[str]`
        One for each `archived_inflector`, in their order.
    tagset : `str`, optional (default = `"paper"`)
        That of this run, which is to be that of the archives.
    """

    def __init__(self, archives: List[str], tagset: str = "paper") -> None:
        self._archives = archives
        self._tagset = tagset

    def __call__(self, components: Sequence[Model]) -> None:
        """
        # Raises

        `ConfigurationError` where there are not as many archives as `archived_inflector`s among `components`;
        `DataError` as `load_inflector`.
        """
        empty = [model for model in components if isinstance(model, ArchivedInflector)]
        if len(empty) != len(self._archives):
            raise ConfigurationError(
                f"There are {len(empty)} archived_inflectors and {len(self._archives)} archives. "
                "Remedy: name one archive for each."
            )
        for model, archive_file in zip(empty, self._archives, strict=True):
            model.fill(*load_inflector(archive_file, self._tagset))
