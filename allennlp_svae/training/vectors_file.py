"""Word vectors from a file in the text format of word2vec and fastText: a line a word, the word and its numbers."""

from typing import Any, Dict, Iterator, Tuple

import numpy
import torch
from allennlp.data import Vocabulary
from allennlp.modules.token_embedders.embedding import EmbeddingsTextFile
from allennlp.nn import Initializer

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.text_file import DAMAGED
from allennlp_svae.data.word_features import fold
from allennlp_svae.dataset_readers.word_features_indexer import WORDS


@Initializer.register("vectors_file")
class VectorsFile(Initializer):
    """
    Fills in the rows of the words that the file has, scaled to length one, and sets the others to zero.
    Words are compared case folded; of several that are one then the first counts, the most frequent in
    fastText's files.

    # Parameters

    vocab : `Vocabulary`
        With the words at hand under `words`.
    path : `str`
        Of a text file, plain or packed (`.gz`, `.bz2`, `.xz`, `.zip`), with or without a first line of the
        numbers of words and dimensions; or its URL.

    # Raises

    `DataError` where there is no such file, where a line of it has another number of dimensions or
    something else than numbers, or where it has none of the words.
    """

    def __init__(self, vocab: Vocabulary, path: str) -> None:
        self._ids: Dict[str, int] = dict(vocab.get_token_to_index_vocabulary(WORDS))
        for special in (vocab._padding_token, vocab._oov_token):
            self._ids.pop(special, None)
        self._path = path

    def __call__(self, tensor: torch.Tensor, **kwargs: Any) -> None:
        """
        # Parameters

        tensor : `torch.Tensor`
            A row a word of the vocabulary; shape (num_words, dim).
        """
        found: Dict[int, numpy.ndarray] = {}
        for number, line in self._lines():
            word, *_ = line.split(" ", 1)
            self._check_width(line.count(" "), tensor.size(1), number)
            row = self._ids.get(fold(word))
            if row is not None and row not in found:
                found[row] = self._vector(line, number)
        if not found:
            raise DataError(
                "None of the words of the labelled and the raw text is in this file.",
                self._path,
                remedy="name a file of vectors of the same language.",
            )
        vectors = torch.from_numpy(numpy.stack(list(found.values())))
        with torch.no_grad():
            tensor.zero_()
            tensor[list(found)] = torch.nn.functional.normalize(vectors).to(tensor)

    def _lines(self) -> Iterator[Tuple[int, str]]:
        """Those of words, counted from 1, without what ends them."""
        number = 0
        try:
            with EmbeddingsTextFile(self._path) as file:
                # The file has already passed over a first line of numbers.
                number = 1 if file.num_tokens else 0
                for number, line in enumerate(file, start=number + 1):  # noqa: B020
                    yield number, line.rstrip(" \r\n")
        except FileNotFoundError:
            raise DataError(
                "There is no such file.",
                self._path,
                remedy="check the path; paths are relative to the folder that the command runs in.",
            ) from None
        except StopIteration:
            # AllenNLP's reader asks for a first line.
            raise DataError("The file is empty.", self._path, remedy="fetch it anew.") from None
        except (UnicodeDecodeError, *DAMAGED) as error:
            raise DataError(
                f"The line cannot be read ({error}).",
                self._path,
                number + 1,
                "name a UTF-8 text file, plain or packed; fetch it anew if it is not whole.",
            ) from None

    def _check_width(self, width: int, dim: int, number: int) -> None:
        if width != dim:
            raise DataError(
                f"The line has {width} numbers after the word, not {dim}.",
                self._path,
                number,
                "set `word_vector_dim` to the file's number of dimensions; if other lines have that many, "
                "mend this one.",
            )

    def _vector(self, line: str, number: int) -> numpy.ndarray:
        word, *fields = line.split(" ")
        try:
            vector = numpy.array(fields, dtype=numpy.float32)
        except ValueError:
            vector = numpy.array([numpy.nan])
        if not numpy.isfinite(vector).all():
            raise DataError(
                f"What follows {word!r} is not all numbers.",
                self._path,
                number,
                "mend the line or take it out.",
            )
        return vector
