"""The combinations of independent choices, best first."""

import heapq
from typing import Iterator, List, Sequence, Tuple

import numpy


def best_products(scores: Sequence[numpy.ndarray]) -> Iterator[Tuple[float, Tuple[int, ...]]]:
    """
    Chooses one of each; what is chosen together scores the sum.

    # Parameters

    scores : `Sequence[numpy.ndarray]`
        The score of each choice, -inf of one that cannot be; each of shape (num_choices,).

    # Returns

    Sums and the chosen positions, from the greatest sum on; without those of -inf.
    """
    orders = [numpy.argsort(-each, kind="stable") for each in scores]
    best = sum(float(each[order[0]]) for each, order in zip(scores, orders, strict=True))
    if best == -numpy.inf:
        return
    # How far each choice is below the best, best first.
    below = [
        [float(value) for value in each[order] - each[order[0]] if value > -numpy.inf]
        for each, order in zip(scores, orders, strict=True)
    ]
    queue: List[Tuple[float, Tuple[int, ...], int]] = [(-best, (0,) * len(scores), 0)]
    while queue:
        negated, ranks, last = heapq.heappop(queue)
        yield -negated, tuple(int(order[rank]) for order, rank in zip(orders, ranks, strict=True))
        # Only later choices are lowered further, so that each combination comes of one other.
        for place in range(last, len(scores)):
            rank = ranks[place]
            if rank + 1 < len(below[place]):
                lowered = negated + below[place][rank] - below[place][rank + 1]
                changed = (*ranks[:place], rank + 1, *ranks[place + 1 :])
                heapq.heappush(queue, (lowered, changed, place))
