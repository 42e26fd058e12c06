"""Forms that an inflector found for one lemma and tag, each with log p(f | ℓ, m) in nats."""

import math
from operator import itemgetter
from typing import List, Sequence, Tuple

Candidates = List[Tuple[str, float]]


def ranked(found: Sequence[Candidates], preferences: Sequence[Sequence[float]]) -> List[Candidates]:
    """The candidates of each inflection, those preferred first."""
    pairs = (
        zip(preferred, one, strict=True) for preferred, one in zip(preferences, found, strict=True)
    )
    return [
        [candidate for _, candidate in sorted(one, key=itemgetter(0), reverse=True)]
        for one in pairs
    ]


def log_probs_of(found: Sequence[Candidates]) -> List[List[float]]:
    return [[log_prob for _, log_prob in candidates] for candidates in found]


def log_add(first: float, second: float) -> float:
    """log(e^first + e^second); either may be -inf."""
    greater = max(first, second)
    if greater == -math.inf:
        return greater
    return greater + math.log1p(math.exp(min(first, second) - greater))
