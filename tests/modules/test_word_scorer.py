"""The scores of words as the sum of those of their sparse features, their statistics and their vectors."""

import pytest
import torch
from allennlp.data import Vocabulary

from allennlp_svae.modules.word_scorer import WordScorer
from allennlp_svae.modules.word_statistics import WordStatistics
from allennlp_svae.modules.word_vectors import WordVectors

VOCAB = Vocabulary()
VOCAB.add_tokens_to_namespace(["ev", "ve"], "words")
VOCAB.add_tokens_to_namespace(["2 ev", "3 ev", "2 ve"], "endings")
NUM_FEATURES, NUM_OUTPUTS = 6, 3
FEATURES = torch.tensor([[[2, 5], [3, 0]], [[4, 0], [0, 0]]])
WORDS = torch.tensor([[2, 3], [1, 0]])
ENDINGS = torch.tensor([[[2, 3, 1, 1], [4, 1, 1, 1]], [[1, 1, 1, 1], [0, 0, 0, 0]]])


@pytest.mark.parametrize("has_statistics", [True, False])
@pytest.mark.parametrize("has_vectors", [True, False])
@pytest.mark.parametrize("has_endings", [True, False])
def test_scores_are_sums(has_statistics: bool, has_vectors: bool, has_endings: bool) -> None:
    statistics = WordStatistics(VOCAB) if has_statistics else None
    vectors = WordVectors(VOCAB, dim=4) if has_vectors else None
    of_endings = WordVectors(VOCAB, dim=2, namespace="endings") if has_endings else None
    scorer = WordScorer(NUM_FEATURES, NUM_OUTPUTS, statistics, vectors, of_endings)
    torch.manual_seed(0)
    assert not scorer(FEATURES, WORDS, ENDINGS).any()
    for parameter in scorer.parameters():
        torch.nn.init.normal_(parameter)
    if statistics is not None:
        statistics.counts[2] = torch.tensor([3, 1, 0])
    if vectors is not None:
        torch.nn.init.normal_(vectors.table[2])
    if of_endings is not None:
        torch.nn.init.normal_(of_endings.table[2:])
    found = scorer(FEATURES, WORDS, ENDINGS)
    for row, column in ((0, 0), (0, 1), (1, 0)):
        bag = [int(feature) for feature in FEATURES[row, column] if feature]
        word = WORDS[row, column]
        if statistics is not None:
            bag += (NUM_FEATURES + statistics.of_words(word)).tolist()
        expected = scorer.sparse.weight[bag].sum(dim=0)
        if vectors is not None:
            has_one = int(word) == 2
            expected = expected + scorer.dense.weight[:, :4] @ vectors.table[word]
            expected = expected + (not has_one) * scorer.dense.weight[:, 4]
        for place, ending in enumerate(ENDINGS[row, column].tolist()):
            if of_endings is not None:
                weight = scorer.dense_of_endings.weight[:, 3 * place : 3 * place + 3]
                expected = expected + weight[:, :2] @ of_endings.table[ending]
                expected = expected + (ending < 2) * weight[:, 2]
        assert torch.allclose(found[row, column], expected, atol=1e-5)
