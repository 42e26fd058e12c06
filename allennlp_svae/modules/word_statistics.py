"""
Features of words and lemmas from how often, and in which case, they occur in raw text.

A word's feature is its class: whether it occurs in lower case, capitalized within sentences, both or neither,
with the number of binary digits of its count. A lemma's is its own class with its own casing, and whether it is
the word itself: a lemma that never occurs is less likely than one that does.
"""

from functools import cached_property
from typing import List, Optional, Sequence, Tuple

import torch
from allennlp.common import FromParams
from allennlp.data import Vocabulary
from allennlp.nn import Initializer

from allennlp_svae.data.raw_text import CAPITAL, LOWER
from allennlp_svae.data.word_features import fold
from allennlp_svae.dataset_readers.word_features_indexer import WORDS

# Counts from 2 ** (NUM_BINS - 2) on are alike.
NUM_BINS = 10
NUM_CASINGS = 4


class WordStatistics(torch.nn.Module, FromParams):
    """
    # Parameters

    vocab : `Vocabulary`
        With all words under `words`.
    initializer : `Initializer`, optional (default = `None`)
        Where counts come from: `word_counts` of the raw text. None in a model that is loaded: the
        archive holds the counts.

    # Attributes

    num_word_features, num_lemma_features : `int`
    """

    num_word_features = NUM_BINS + NUM_CASINGS
    num_lemma_features = 2 * NUM_BINS + 2 * NUM_CASINGS

    def __init__(self, vocab: Vocabulary, initializer: Optional[Initializer] = None) -> None:
        super().__init__()
        self._ids = vocab.get_token_to_index_vocabulary(WORDS)
        self._unknown = vocab.get_token_index(vocab._oov_token, WORDS)
        self.counts: torch.Tensor
        self.register_buffer(
            "counts", torch.zeros(vocab.get_vocab_size(WORDS), 3, dtype=torch.long)
        )
        if initializer is not None:
            initializer(self.counts)

    def of_words(self, words: torch.LongTensor) -> torch.LongTensor:
        """
        # Parameters

        words : `torch.LongTensor`
            Ids of words; shape (batch_size, num_tokens).

        # Returns

        Features from 0 to `num_word_features`; shape (batch_size, num_tokens, 2).
        """
        return torch.stack([self._bins(words), NUM_BINS + self._casings(words)], dim=-1)

    def of_lemmas(self, form: str, lemmas: Sequence[str]) -> List[List[int]]:
        """Features from 0 to `num_lemma_features` of each lemma candidate of a form."""
        own = fold(form)
        found = []
        for lemma in lemmas:
            word = fold(lemma)
            number, casing = self._classes[self._ids.get(word, self._unknown)]
            found.append(
                [
                    NUM_BINS * (word == own) + number,
                    2 * NUM_BINS + NUM_CASINGS * lemma[:1].isupper() + casing,
                ]
            )
        return found

    @cached_property
    def _classes(self) -> List[Tuple[int, int]]:
        """Of each word; single ones are found faster in a list. They are asked for when the counts are there."""
        words = torch.arange(len(self.counts), device=self.counts.device)
        return list(zip(self._bins(words).tolist(), self._casings(words).tolist(), strict=True))

    def _bins(self, words: torch.LongTensor) -> torch.LongTensor:
        """The number of binary digits of each word's count."""
        _, digits = torch.frexp(self.counts[words].sum(dim=-1).float())
        return digits.long().clamp(max=NUM_BINS - 1)

    def _casings(self, words: torch.LongTensor) -> torch.LongTensor:
        """1 if it occurs in lower case, plus 2 if capitalized within a sentence."""
        occurs = self.counts[words] > 0
        return occurs[..., LOWER].long() + 2 * occurs[..., CAPITAL].long()
