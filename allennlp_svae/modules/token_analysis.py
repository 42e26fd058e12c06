"""What an inference network says of words and sentences, whatever its family."""

import heapq
import math
from typing import Iterable, List, Literal, Mapping, NamedTuple, Protocol, Tuple

from allennlp_svae.data.sentence import Sentence, Token


class TokenAnalysis(NamedTuple):
    """A word with lemma and tag, and log q(ℓ_n, m_n | f) in nats."""

    log_prob: float
    token: Token


class Analyses(Protocol):
    """What a network makes of a batch of sentences; each answer has as many items as there are sentences."""

    def decode(self, how: Literal["best", "sample"]) -> Iterable[Sentence]:
        """The best path, or one drawn with torch's global generator."""

    def k_best(self, k: int) -> Iterable[List[Tuple[Sentence, float]]]:
        """Its up to k best annotations with log q, best first."""

    def analyses(self, k: int, within: float = math.inf) -> Iterable[List[List[TokenAnalysis]]]:
        """
        For each token its up to k most probable pairs of lemma and tag, of those that are at most `within` nats less
        probable than the best, best first.
        """

    def best_tags(self, k: int) -> Iterable[List[List[TokenAnalysis]]]:
        """For each token its up to k most probable tags, without lemma, best first."""


def best_of(log_probs: Mapping[Token, float], k: int) -> List[TokenAnalysis]:
    """The k most probable, best first."""
    best = heapq.nlargest(k, log_probs.items(), key=lambda pair: pair[1])
    return [TokenAnalysis(log_prob, token) for token, log_prob in best]
