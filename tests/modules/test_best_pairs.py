"""The best pairs of many words against enumeration, word by word."""

import math
from itertools import product
from typing import Dict, List, Tuple

import pytest
import torch

from allennlp_svae.modules.best_pairs import best_pairs
from allennlp_svae.modules.lemma_candidates import CandidateBatch
from allennlp_svae.modules.lemma_scorer import LemmaScores

NUM_TAGS = 4
COUNTS = [3, 1, 2]
FORMS = torch.tensor([0, 2, 1, 2])


def scores() -> LemmaScores:
    counts = torch.tensor(COUNTS)
    starts = counts.cumsum(0) - counts
    nothing = torch.zeros(0, dtype=torch.long)
    batch = CandidateBatch(
        [("a",) * count for count in COUNTS],
        nothing,
        nothing,
        torch.repeat_interleave(counts),
        starts,
        counts,
    )
    torch.manual_seed(0)
    return LemmaScores(torch.randn(sum(COUNTS), NUM_TAGS), batch)


def tag_log_probs() -> torch.Tensor:
    torch.manual_seed(1)
    logits = torch.randn(len(FORMS), NUM_TAGS)
    logits[..., 2] = -torch.inf
    return logits.log_softmax(dim=-1)


def enumerated(word: int) -> Dict[Tuple[int, int], float]:
    """log q of each pair of tag and candidate of a word that is possible."""
    form = int(FORMS[word])
    of_lemmas = scores().of_form(form).log_softmax(dim=0)
    of_tags = tag_log_probs()[word]
    pairs = product(range(NUM_TAGS), range(COUNTS[form]))
    found = {(tag, rank): float(of_tags[tag] + of_lemmas[rank, tag]) for tag, rank in pairs}
    return {pair: log_prob for pair, log_prob in found.items() if log_prob > -math.inf}


@pytest.mark.parametrize("k", [1, 2, 3, 50])
@pytest.mark.parametrize("within", [0.0, 1.0, math.inf])
def test_the_best_pairs_are_those_of_the_enumeration(k: int, within: float) -> None:
    found = best_pairs(tag_log_probs(), scores(), FORMS, k, within)
    assert found.words.tolist() == sorted(found.words.tolist())
    by_word: Dict[int, List[Tuple[Tuple[int, int], float]]] = {}
    columns = (found.words, found.tags, found.candidates, found.log_probs)
    for word, tag, rank, log_prob in zip(*(each.tolist() for each in columns), strict=True):
        by_word.setdefault(word, []).append(((tag, rank), log_prob))
    assert set(by_word) == set(range(len(FORMS)))
    for word, pairs in by_word.items():
        expected = enumerated(word)
        log_probs = [log_prob for _, log_prob in pairs]
        assert log_probs == pytest.approx([expected[pair] for pair, _ in pairs], abs=1e-5)
        best = sorted(expected.values(), reverse=True)
        near = [each for each in best[:k] if each >= best[0] - within]
        assert log_probs == pytest.approx(near, abs=1e-5)
