"""
What speaks for a pair of lemma and tag, whatever the word:

    s(ℓ, m) = w₁ / (|ℓ| + 1) log p(ℓ) + w₂ [ℓ is known with t] + w₃ log p(t | ℓ) - w₄ log p(m | ℓ)

t is the part of speech of m. p(ℓ) is a character n-gram model of the text's words, labelled and raw, and of the
labelled lemmas; a lemma's runs of letters are words there, so that a boundary within a compound has to be one between
words. p(t | ℓ) and p(m | ℓ) tell which tags go with such endings of lemmas; the latter is taken off, since a tagger
makes too much of it.
"""

import re
from typing import Iterable, List, Sequence, Tuple

from allennlp.common import FromParams
from allennlp.data import Vocabulary

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.word_model import WordModel
from allennlp_svae.dataset_readers.tagged_sentences import known_pairs
from allennlp_svae.dataset_readers.word_features_indexer import WORDS
from allennlp_svae.modules.form_ranker import attested_words

Pair = Tuple[str, MorphTag]

_LETTERS = re.compile(r"[^\W\d_]+")
# Tags are characters after lemmas: of a plane for private use, in which no text is written.
_FIRST_SYMBOL = 0xF0000


class PairPrior(FromParams):
    """
    # Parameters

    vocab : `Vocabulary`
        With the labelled pairs, as the `tagged_sentences` reader counts them, and the text's words.
    looks_like_word, is_known, goes_with_pos, goes_with_tag : `float`, optional
        w₁ to w₄, in nats for a nat a character, in nats, and in nats for a nat.
    order : `int`, optional (default = `6`)
        Of the n-grams, in characters.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        looks_like_word: float = 1.0,
        is_known: float = 3.0,
        goes_with_pos: float = 0.1,
        goes_with_tag: float = 0.15,
        order: int = 6,
    ) -> None:
        pairs = known_pairs(vocab)
        self._known = {(lemma, tag.pos) for lemma, tag in pairs}
        words = attested_words(vocab, WORDS)
        words.update(word for lemma, _ in pairs for word in _words(lemma))
        self._words = WordModel(words, order) if words else None
        self._tags = _EndingModel(((lemma, str(tag)) for lemma, tag in pairs), order)
        self._poses = _EndingModel(((lemma, tag.pos) for lemma, tag in pairs), order)
        self._weights = looks_like_word, is_known, goes_with_pos, goes_with_tag

    def __call__(self, pairs: Sequence[Pair]) -> List[float]:
        """s(ℓ, m) of each pair, in nats."""
        looks_like_word, is_known, goes_with_pos, goes_with_tag = self._weights
        lemmas = list(dict.fromkeys(lemma for lemma, _ in pairs))
        of_words = dict(zip(lemmas, self._log_probs_of_letters(lemmas), strict=True))
        of_poses = self._poses.log_probs([(lemma, tag.pos) for lemma, tag in pairs])
        of_tags = self._tags.log_probs([(lemma, str(tag)) for lemma, tag in pairs])
        return [
            looks_like_word * of_words[lemma]
            + is_known * ((lemma, tag.pos) in self._known)
            + goes_with_pos * of_pos
            - goes_with_tag * of_tag
            for (lemma, tag), of_pos, of_tag in zip(pairs, of_poses, of_tags, strict=True)
        ]

    def _log_probs_of_letters(self, lemmas: Sequence[str]) -> List[float]:
        """log p(ℓ) / (|ℓ| + 1), over all words of the lemma; 0 where there are no words to compare it with."""
        if self._words is None:
            return [0.0] * len(lemmas)
        words = [_words(lemma) for lemma in lemmas]
        log_probs = iter(self._words.log_probs([word for each in words for word in each]))
        return [
            sum(next(log_probs) for _ in each) / sum(len(word) + 1 for word in each)
            for each in words
        ]


class _EndingModel:
    """The distribution of labels of lemmas, by the lemmas' endings."""

    def __init__(self, labeled: Iterable[Tuple[str, str]], order: int) -> None:
        labeled = list(labeled)
        labels = dict.fromkeys(label for _, label in labeled)
        self._symbols = {
            label: chr(_FIRST_SYMBOL + number) for number, label in enumerate(labels, start=1)
        }
        words = [self._with_symbol(*each) for each in labeled]
        self._model = WordModel(words, order) if words else None

    def log_probs(self, labeled: Sequence[Tuple[str, str]]) -> List[float]:
        if self._model is None:
            return [0.0] * len(labeled)
        return self._model.log_probs_of_last([self._with_symbol(*each) for each in labeled])

    def _with_symbol(self, lemma: str, label: str) -> str:
        # All labels that are not known are one.
        return _words(lemma)[-1] + self._symbols.get(label, chr(_FIRST_SYMBOL))


def _words(lemma: str) -> List[str]:
    """The runs of letters of a lemma; itself if it has none."""
    return _LETTERS.findall(lemma) or [lemma]
