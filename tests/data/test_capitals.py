from typing import List, Tuple

import pytest

from allennlp_svae.data.capitals import capitalized_words
from allennlp_svae.data.raw_text import RawText

TEXT = RawText(
    [
        # A capital of the sentence is none of the word.
        ["Rivers", "of", "Ghana"],
        ["Rivers", "of", "ice", "and", "the", "Ice", "Age"],
        ["the", "Ice", "Ice", "İstanbul"],
        ["ghana", "or", "Ghana"],
        ["age", "of", "age"],
    ]
)


NAMES = [("Ghana", "ghana"), ("Ghana", "ghani"), ("İstanbul", "istanbul")]


@pytest.mark.parametrize(
    ("labeled", "are_believed"),
    [
        ([], False),
        (NAMES[:2], False),
        (NAMES, True),
        ([*NAMES, ("ice", "ice")], False),
        ([*NAMES, ("ice", "ice"), ("Ice", "ice")], True),
        # Neither a lemma with a capital nor another word says anything.
        ([*NAMES[:2], ("Ghana", "Ghana"), ("Rivers", "river")], False),
        ([*NAMES, ("ghana", "Ghana"), ("rivers", "river"), ("age", "age")], True),
    ],
)
def test_they_are_believed_if_most_labelled_ones_have_a_capital(
    labeled: List[Tuple[str, str]], are_believed: bool
) -> None:
    found = capitalized_words(TEXT, labeled)
    assert found == ({"ghana", "ice", "istanbul"} if are_believed else set())
