"""Word vectors from files, whole and broken."""

import gzip
from pathlib import Path

import pytest
import torch
from allennlp.data import Vocabulary

from allennlp_svae.data.errors import DataError
from allennlp_svae.training.vectors_file import VectorsFile

VOCAB = Vocabulary()
VOCAB.add_tokens_to_namespace(["ev", "ankara", "yok"], "words")
LINES = ["ev 3 4 ", "Ankara 0 -2", "ankara 1 1", "@@UNKNOWN@@ 1 1", "kitap 7 7"]


def read(path: Path, dim: int = 2) -> torch.Tensor:
    table = torch.ones(VOCAB.get_vocab_size("words"), dim)
    VectorsFile(VOCAB, str(path))(table)
    return table


@pytest.mark.parametrize("header", [[], ["5 2"]])
@pytest.mark.parametrize("name", ["x.vec", "x.vec.gz"])
def test_the_words_at_hand_have_their_first_vector_at_length_one(
    tmp_path: Path, name: str, header: list
) -> None:
    content = "".join(f"{line}\n" for line in header + LINES).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    by_word = {word: read(path)[VOCAB.get_token_index(word, "words")] for word in ("ev", "ankara")}
    assert torch.allclose(by_word["ev"], torch.tensor([0.6, 0.8]))
    assert torch.allclose(by_word["ankara"], torch.tensor([0.0, -1.0]))
    others = read(path)[[0, 1, VOCAB.get_token_index("yok", "words")]]
    assert not others.any()


@pytest.mark.parametrize("header", [[], ["5 2"]])
@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        ("kitap 7", "1 numbers after the word, not 2"),
        ("kitap 7 7 7", "word_vector_dim"),
        ("", "0 numbers"),
        ("yok 7 x", "not all numbers"),
        ("yok 7 nan", "not all numbers"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, header: list, broken: str, problem: str) -> None:
    path = tmp_path / "x.vec"
    path.write_text("\n".join([*header, *LINES, broken, *LINES]), encoding="utf-8")
    with pytest.raises(DataError, match=problem) as error:
        read(path)
    assert (error.value.path, error.value.line) == (str(path), len(header) + len(LINES) + 1)
    assert error.value.remedy


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("x.vec", b"", "empty"),
        ("x.vec.gz", gzip.compress(b""), "empty"),
        ("x.vec", b"5 2\n", "None of the words"),
        ("x.vec", b"other 1 1\n", "None of the words"),
        ("x.vec", b"ev 1 1\n\xff 1 1\n", "cannot be read"),
        ("x.vec.gz", b"ev 1 1\n", "cannot be read"),
        ("x.vec.gz", gzip.compress(b"ev 1 1\n" * 9)[:-9], "cannot be read"),
        ("x.vec.bz2", b"ev 1 1\n", "cannot be read"),
        ("x.vec.xz", b"ev 1 1\n", "cannot be read"),
        ("missing.vec", None, "no such file"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, name: str, content: bytes, problem: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=problem) as error:
        read(path)
    assert error.value.path == str(path)
    assert error.value.remedy
