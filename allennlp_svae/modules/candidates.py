"""Forms that an inflector found for one lemma and tag, each with log p(f | ℓ, m) in nats."""

import math
from operator import itemgetter
from typing import List, Sequence, Tuple

Candidates = List[Tuple[str, float]]


def by_log_prob(found: Sequence[Candidates]) -> List[Candidates]:
    """For each inflection its (form, log-probability), best first."""
    return [sorted(candidates, key=itemgetter(1), reverse=True) for candidates in found]


def log_add(first: float, second: float) -> float:
    """log(e^first + e^second); either may be -inf."""
    greater = max(first, second)
    if greater == -math.inf:
        return greater
    return greater + math.log1p(math.exp(min(first, second) - greater))
