"""Pre-tokenized plain text: one sentence a line, its words separated by white space."""

from typing import Iterator

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.data.text_file import read_lines


def read_text(path: str) -> Iterator[Sentence]:
    """
    The sentences of a text file, without annotation; blank lines are passed over.

    # Raises

    `DataError` where the file holds no word.
    """
    empty = True
    for line in read_lines(path):
        sentence = parse_text(line.text)
        if sentence.tokens:
            yield sentence
            empty = False
    if empty:
        raise DataError("The file holds no word.", path, remedy="write one sentence a line.")


def parse_text(text: str) -> Sentence:
    """The words of a text that are separated by white space."""
    return Sentence(tuple(Token(form) for form in text.split()))
