"""
Which words the raw text writes with a capital: names, whose treebank may give them a lemma in lower case.

That a capital is not the sentence's but the word's is no more than likely: lines of verse begin with one, and a name of
several words lends it to words that are none. Whether to believe the text is therefore asked of the labelled words.
"""

from typing import Iterable, Set, Tuple

from allennlp_svae.data.casing import can_be_capitalized
from allennlp_svae.data.raw_text import CAPITAL, LOWER, RawText
from allennlp_svae.data.word_features import fold

# By more than so many, labelled words with a capital have to outnumber those without: one or two are no evidence.
DOUBT = 2


def capitalized_words(raw_text: RawText, labeled: Iterable[Tuple[str, str]]) -> Set[str]:
    """
    The words, case folded, that are written with a capital more often than without, where sentences do not begin. The
    set is empty unless, among the labelled forms that are such words, those with a capital outnumber the others by more
    than `DOUBT`.

    # Parameters

    raw_text : `RawText`
        Without the labelled words, which would bear themselves out.
    labeled : `Iterable[Tuple[str, str]]`
        Distinct pairs of form and lemma. Those with a lemma in lower case are looked at.
    """
    more_often = raw_text.counts[:, CAPITAL] > raw_text.counts[:, LOWER]
    words = {raw_text.words[place] for place in more_often.nonzero()[0].tolist()}
    borne_out = [
        form[0].isupper()
        for form, lemma in labeled
        if can_be_capitalized(lemma) and fold(form) in words
    ]
    return words if 2 * sum(borne_out) > len(borne_out) + DOUBT else set()
