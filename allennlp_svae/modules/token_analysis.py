"""A word as an inference network analyzes it."""

import heapq
from typing import List, Mapping, NamedTuple

from allennlp_svae.data.sentence import Token


class TokenAnalysis(NamedTuple):
    """A word with lemma and tag, and log q(ℓ_n, m_n | f) in nats."""

    log_prob: float
    token: Token


def best_of(log_probs: Mapping[Token, float], k: int) -> List[TokenAnalysis]:
    """The k most probable, best first."""
    best = heapq.nlargest(k, log_probs.items(), key=lambda pair: pair[1])
    return [TokenAnalysis(log_prob, token) for token, log_prob in best]
