"""Features of words and lemmas from their counts in raw text."""

import pytest
import torch
from allennlp.data import Vocabulary

from allennlp_svae.data.raw_text import CAPITAL, CAPITAL_AT_START, LOWER
from allennlp_svae.modules.word_statistics import NUM_BINS, NUM_CASINGS, WordStatistics

COUNTS = {"ev": {LOWER: 5, CAPITAL_AT_START: 3}, "ankara": {CAPITAL: 1}, "ve": {LOWER: 99999}}


@pytest.fixture
def statistics() -> WordStatistics:
    vocab = Vocabulary()
    vocab.add_tokens_to_namespace([*COUNTS, "evler"], "words")
    statistics = WordStatistics(vocab)
    for word, counts in COUNTS.items():
        for casing, count in counts.items():
            statistics.counts[vocab.get_token_index(word, "words"), casing] = count
    return statistics


def test_a_words_class_is_the_digits_of_its_count_and_its_casings(
    statistics: WordStatistics,
) -> None:
    vocab_ids = [[statistics._ids[word] for word in ("ev", "ankara", "ve", "evler")] + [1]]
    found = statistics.of_words(torch.tensor(vocab_ids))
    bins, casings = (found - torch.tensor([0, NUM_BINS])).unbind(-1)
    assert bins.tolist() == [[4, 1, NUM_BINS - 1, 0, 0]]
    assert casings.tolist() == [[1, 2, 1, 0, 0]]
    assert int(found.max()) < statistics.num_word_features


def test_a_lemma_shows_its_class_its_casing_and_whether_it_is_the_word(
    statistics: WordStatistics,
) -> None:
    found = statistics.of_lemmas("Evler", ["ev", "Ev", "Evler", "Ankara"])
    casing = 2 * NUM_BINS
    assert found == [
        [4, casing + 1],
        [4, casing + NUM_CASINGS + 1],
        [NUM_BINS, casing + NUM_CASINGS],
        [1, casing + NUM_CASINGS + 2],
    ]
    assert max(map(max, found)) < statistics.num_lemma_features
