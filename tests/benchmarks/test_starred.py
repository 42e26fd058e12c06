import pytest

from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.data.tag import MorphTag
from benchmarks.starred import starred


def starred_token(form: str, lemma: str | None, tag: str | None) -> Token:
    (token,) = starred(Sentence((Token(form, lemma, tag and MorphTag.parse(tag)),))).tokens
    return token


@pytest.mark.parametrize(
    ("form", "lemma", "expected"),
    [
        ("sum", "sum1", "sum"),
        ("Romam", "Roma", "roma"),
        ("a2b", "a2b12", "a2b"),
        (".", "_full-stop", "."),
        ("…", None, "…"),
        ("7", "8", ""),
        ("word", None, None),
    ],
)
def test_conventions_of_lemmas_do_not_count(
    form: str, lemma: str | None, expected: str | None
) -> None:
    assert starred_token(form, lemma, None) == Token(form, expected)


def test_features_that_are_none_do_not_count() -> None:
    token = starred_token("a", "a", "NOUN;Case=None;Number=Sing;Number[psor]=None")
    assert token.tag == MorphTag.parse("NOUN;Number=Sing")
