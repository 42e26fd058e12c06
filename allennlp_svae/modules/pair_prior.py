"""
What speaks for a pair of lemma and tag beside what a tagger has learned:

    s(f, ℓ, m) = w₁ / (|ℓ| + 1) log p(ℓ) + w₂ [ℓ is known with t] + w₃ s(m | f, ℓ) - w₄ s(m | ℓ)

t is the part of speech of m. p(ℓ) is a character n-gram model of the text's words, labelled and raw, and of the
labelled lemmas; a lemma's runs of letters are words there, so that a boundary within a compound has to be one between
words. Of a compound it is enough that its last word is known. s(m | f, ℓ) is that of a `JointLemmatizer`: does such a
tag, given t, go with such a change of the lemma? s(m | ℓ) tells what the lemma's ending says of the tag anyway, which
is no merit of the pair's. Both are in nats, of a `TagModel`.
"""

import re
from typing import List, Optional, Sequence

from allennlp.common import FromParams
from allennlp.data import Vocabulary

from allennlp_svae.data.ending_model import TagModel
from allennlp_svae.data.word_model import WordModel
from allennlp_svae.dataset_readers.tagged_sentences import known_words
from allennlp_svae.dataset_readers.word_features_indexer import WORDS
from allennlp_svae.modules.form_ranker import attested_words
from allennlp_svae.modules.joint_lemmatizer import JointLemmatizer, Lemmatized

_LETTERS = re.compile(r"[^\W\d_]+")


class PairPrior(FromParams):
    """
    # Parameters

    vocab : `Vocabulary`
        With the labelled words, as the `tagged_sentences` reader counts them, and the text's words.
    lemmatizer : `JointLemmatizer`, optional (default = one with its defaults)
    looks_like_word, is_known, form_tells_tag, lemma_tells_tag : `float`, optional
        w₁ to w₄, in nats for a nat a character, in nats, and in nats for a nat.
    order : `int`, optional (default = `6`)
        Of the n-grams, in characters.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        lemmatizer: Optional[JointLemmatizer] = None,
        looks_like_word: float = 1.75,
        is_known: float = 3.5,
        form_tells_tag: float = 0.5,
        lemma_tells_tag: float = 0.3,
        order: int = 6,
    ) -> None:
        self.lemmatizer = lemmatizer or JointLemmatizer(vocab)
        pairs = list(dict.fromkeys((word.lemma, word.tag) for word in known_words(vocab)))
        self._known = {(lemma, tag.pos) for lemma, tag in pairs}
        words = attested_words(vocab, WORDS)
        words.update(word for lemma, _ in pairs for word in _words(lemma))
        self._words = WordModel(words, order) if words else None
        self._tags = TagModel(((_words(lemma)[-1], tag) for lemma, tag in pairs), order)
        self._weights = looks_like_word, is_known, form_tells_tag, lemma_tells_tag

    def __call__(self, words: Sequence[Lemmatized]) -> List[float]:
        """s(f, ℓ, m) of each, in nats."""
        looks_like_word, is_known, form_tells_tag, lemma_tells_tag = self._weights
        parts = {lemma: _words(lemma) for lemma in dict.fromkeys(word.lemma for word in words)}
        letters = dict(zip(parts, self._log_probs_of_letters(list(parts.values())), strict=True))
        of_forms = self.lemmatizer.scores_of_tags(words)
        of_lemmas = self._tags.scores([(parts[word.lemma][-1], word.tag) for word in words])
        return [
            looks_like_word * letters[word.lemma]
            + is_known * self._is_known(word.lemma, parts[word.lemma], word.tag.pos)
            + form_tells_tag * of_form
            - lemma_tells_tag * of_lemma
            for word, of_form, of_lemma in zip(words, of_forms, of_lemmas, strict=True)
        ]

    def _is_known(self, lemma: str, parts: Sequence[str], pos: str) -> bool:
        return (lemma, pos) in self._known or (len(parts) > 1 and (parts[-1], pos) in self._known)

    def _log_probs_of_letters(self, lemmas: Sequence[Sequence[str]]) -> List[float]:
        """log p(ℓ) / (|ℓ| + 1) of each lemma, over all its words; 0 where there are no words to compare it with."""
        if self._words is None:
            return [0.0] * len(lemmas)
        log_probs = iter(self._words.log_probs([word for each in lemmas for word in each]))
        return [
            sum(next(log_probs) for _ in each) / sum(len(word) + 1 for word in each)
            for each in lemmas
        ]


def _words(lemma: str) -> List[str]:
    """The runs of letters of a lemma; itself if it has none."""
    return _LETTERS.findall(lemma) or [lemma]
