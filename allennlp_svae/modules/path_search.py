"""The k best paths of a chain, from the best scores of all that may come before each of its states."""

import heapq
import itertools
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

import numpy

# Finite, so that gradients of sums over what is ruled out are zero and not undefined.
RULED_OUT = -1e30
# The scores of arriving at a position in its last k states from each state before; shape (num_states,).
Arrivals = Callable[[int, Tuple[int, ...]], numpy.ndarray]


class Path(NamedTuple):
    """A sequence of states, which variant of each, and the unnormalised score of both."""

    states: List[int]
    variants: List[int]
    score: float


def search_paths(
    alphas: numpy.ndarray,
    arrivals: Arrivals,
    k: int,
    variants: Optional[Callable[[int], numpy.ndarray]] = None,
) -> List[Path]:
    """
    An A* search from the right for the `k` best distinct paths, best first.

    # Parameters

    alphas : `numpy.ndarray`
        The best score up to each position by the last k states, where k is the order of the chain;
        shape (length, num_states, ..., num_states).
    arrivals : `Arrivals`
    k : `int`
    variants : `Callable[[int], numpy.ndarray]`, optional (default = `None`)
        The scores of alternatives within each state of a position, the best 0; shape
        (num_states, num_variants).
    """
    # Entries: minus the score of the best completion, a tie-breaker, the position up to which all is
    # open, the last k states there, the score of what is right of it, and the choices as a linked list.
    queue: List[Tuple[float, int, int, Tuple[int, ...], float, Any]] = []
    order = itertools.count()

    def best_of(scores: numpy.ndarray) -> List[Tuple[int, float]]:
        count = min(k, scores.size)
        found = numpy.argpartition(-scores, count - 1)[:count].tolist()
        return [(index, float(scores[index])) for index in found if scores[index] > RULED_OUT / 2]

    def push(total: float, position: int, states: Tuple[int, ...], chosen: Any) -> None:
        before = float(alphas[(position, *states)]) if position >= 0 else 0.0
        entry = (-total, next(order), position, states, total - before, chosen)
        heapq.heappush(queue, entry)

    for index, total in best_of(alphas[-1].ravel()):
        ending = tuple(map(int, numpy.unravel_index(index, alphas.shape[1:])))
        push(total, len(alphas) - 1, ending, None)
    paths: List[Path] = []
    while queue and len(paths) < k:
        negated, _, position, states, rest, chosen = heapq.heappop(queue)
        if position < 0:
            path: Tuple[List[int], List[int]] = ([], [])
            while chosen is not None:
                state, variant, chosen = chosen
                path[0].append(state)
                path[1].append(variant)
            paths.append(Path(*path, -negated))
            continue
        # What is chosen now: the variant of the last of the states, and the state before the first.
        offsets = numpy.zeros(1) if variants is None else variants(position)[states[-1]]
        if position > 0:
            before = alphas[position - 1][(slice(None), *states[:-1])]
            scores = before + arrivals(position, states) + rest
        else:
            scores = alphas[(0, *states)] + numpy.full(1, rest)
        for index, total in best_of((scores[:, None] + offsets).ravel()):
            earliest, variant = divmod(index, len(offsets))
            longer = (states[-1], variant, chosen)
            push(total, position - 1, (earliest, *states[:-1]), longer)
    return paths
