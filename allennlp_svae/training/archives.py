"""Archives from where a user says they are."""

import os
import tarfile
import zlib

from allennlp.models import Archive, load_archive

from allennlp_svae.data.errors import DataError


def open_archive(path: str) -> Archive:
    """
    # Parameters

    path : `str`
        A `model.tar.gz`, or the folder of a finished run.

    # Raises

    `DataError` where there is no such archive, or what is there is none.
    """
    remedy = "name the model.tar.gz of a finished `allennlp train`, or its folder."
    if not os.path.exists(path):
        raise DataError("There is no such archive.", path, remedy=remedy)
    try:
        return load_archive(path)
    except (FileNotFoundError, tarfile.ReadError) as error:
        raise DataError("This is no archive.", path, remedy=remedy) from error
    except (EOFError, zlib.error) as error:
        raise DataError(
            f"The archive is not whole: {error}",
            path,
            remedy="copy it again from where it was made.",
        ) from error
