"""
What does not count in a starred figure, since it tells of a treebank's conventions rather than of its language:
features whose value is `None`, digits at the end of a lemma, its upper case, and the lemma of a form without letter
and digit.
"""

import re

from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.data.tag import MorphTag

_TRAILING_DIGITS = re.compile(r"\d+$")


def starred(sentence: Sentence) -> Sentence:
    """The sentence without all that: to be compared with another one of the same forms."""
    return Sentence(tuple(map(_starred, sentence.tokens)))


def _starred(token: Token) -> Token:
    form, lemma, tag = token
    if not any(map(str.isalnum, form)):
        lemma = form
    elif lemma is not None:
        lemma = _TRAILING_DIGITS.sub("", lemma).lower()
    if tag is not None:
        tag = MorphTag.of(tag.pos, (each for each in tag.features if not each.endswith("=None")))
    return Token(form, lemma, tag)
