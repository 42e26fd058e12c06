import pytest

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.plain_text import parse_text, read_text
from allennlp_svae.data.sentence import Sentence, Token
from tests.data.locations import TINY


def test_one_sentence_a_line():
    sentences = list(read_text(str(TINY / "raw.txt")))
    assert [sentence.forms for sentence in sentences] == [
        ["Kedi", "ırmakta", "balık", "gördü", "."],
        ["Девочка", "пишет", "письмо", "."],
        ["ه\u064eذا", "كتاب", "جديد"],
        ["הילדה", "כתבה", "שיר"],
        ["n\u0303andu\u0301", "İki", "_"],
    ]
    assert all(token == Token(token.form) for each in sentences for token in each.tokens)


def test_parses_a_text():
    assert parse_text(" my  wugs ") == Sentence((Token("my"), Token("wugs")))


def test_a_file_without_words_is_an_error(tmp_path):
    path = tmp_path / "empty.txt"
    path.write_text("\n \n")
    with pytest.raises(DataError, match="no word"):
        list(read_text(str(path)))
