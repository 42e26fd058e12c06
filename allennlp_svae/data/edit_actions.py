"""
Inflection as editing: a pointer runs over the lemma while the form is written from left to right
(Aharoni and Goldberg, 2017; Makarov and Clematide, 2018).

    COPY     writes the lemma's character at the pointer and advances it
    DELETE   advances the pointer
    c        writes the character c

Two restrictions leave every form writable and most pairs with a handful of derivations, so that p(f | ℓ)
is a sum that can be taken: what could be copied is not inserted (c differs from the character at the
pointer), and nothing is inserted between a DELETE and the next COPY.
"""

import heapq
import math
from functools import lru_cache
from itertools import count, islice
from typing import Iterator, List, Sequence, Tuple

COPY = "<copy>"
DELETE = "<delete>"

# What an alignment minimizes: edits, and even more the number of stretches that are copied.
EDIT_COST = 1
STRETCH_COST = 2

# What came last, as far as it matters: an insertion, a DELETE, a COPY (or nothing yet).
COPIED, INSERTED, DELETED = range(3)

State = Tuple[int, int, int]
Actions = Tuple[str, ...]


def apply_actions(actions: Sequence[str], lemma: str) -> str:
    """The form that the actions write. They need not reach the lemma's end."""
    written: List[str] = []
    pointer = 0
    for action in actions:
        if action == COPY:
            written.append(lemma[pointer])
        elif action != DELETE:
            written.append(action)
        pointer += action in (COPY, DELETE)
    return "".join(written)


@lru_cache(maxsize=100_000)
def edit_actions(lemma: str, form: str) -> Actions:
    """The cheapest derivation: few edits, and the lemma copied in few stretches."""
    start = common_prefix(lemma, form)
    # Many words end alike.
    (rest,) = cheapest_derivations(lemma[start:], form[start:], 1)
    return (COPY,) * start + rest


@lru_cache(maxsize=100_000)
def cheapest_derivations(lemma: str, form: str, most: int) -> Tuple[Actions, ...]:
    """The first `most` of `derivations`."""
    return tuple(islice(derivations(lemma, form), most))


def derivations(lemma: str, form: str) -> Iterator[Actions]:
    """
    Every derivation of the form, cheapest first. Their number can be exponential in the length of words
    that repeat one character.
    """
    costs = _costs_to_go(lemma, form)
    # Of equally cheap ones the latest goes on: breadth first, 64 of very many would take forever to find.
    order = count(0, -1)
    start: State = (0, 0, COPIED)
    queue: List[Tuple[float, int, int, State, Actions]] = [(0, next(order), 0, start, ())]
    while queue:
        _, _, spent, state, actions = heapq.heappop(queue)
        if state[:2] == (len(lemma), len(form)):
            yield actions
            continue
        for action, cost, following in _moves(lemma, form, state):
            i, j, last = following
            total = spent + cost + costs[last][i][j]
            if total < math.inf:
                queued = (total, next(order), spent + cost, following, (*actions, action))
                heapq.heappush(queue, queued)


def _moves(lemma: str, form: str, state: State) -> Iterator[Tuple[str, int, State]]:
    """What may come next on the way to the form, with its cost; copying first."""
    i, j, last = state
    copies = i < len(lemma) and j < len(form) and lemma[i] == form[j]
    if copies:
        yield COPY, 0 if last == COPIED else STRETCH_COST, (i + 1, j + 1, COPIED)
    if j < len(form) and last != DELETED and not copies:
        yield form[j], EDIT_COST, (i, j + 1, INSERTED)
    if i < len(lemma):
        yield DELETE, EDIT_COST, (i + 1, j, DELETED)


def _costs_to_go(lemma: str, form: str) -> List[List[List[float]]]:
    """The least cost from each state (i, j, last) to the end as `[last][i][j]`, infinite where it cannot be reached."""
    ends = len(lemma), len(form)
    costs = [[[math.inf] * (len(form) + 1) for _ in range(len(lemma) + 1)] for _ in range(3)]
    copied, inserted, deleted = costs
    copied[-1][-1] = inserted[-1][-1] = deleted[-1][-1] = 0
    for i in range(len(lemma), -1, -1):
        for j in range(len(form), -1, -1):
            if (i, j) == ends:
                continue
            # What `_moves` says, of all three at once: most of the time that derivations take is spent here.
            copies = i < len(lemma) and j < len(form) and lemma[i] == form[j]
            copying = copied[i + 1][j + 1] if copies else math.inf
            deleting = EDIT_COST + deleted[i + 1][j] if i < len(lemma) else math.inf
            inserts = j < len(form) and not copies
            inserting = EDIT_COST + inserted[i][j + 1] if inserts else math.inf
            copied[i][j] = min(copying, inserting, deleting)
            inserted[i][j] = min(STRETCH_COST + copying, inserting, deleting)
            deleted[i][j] = min(STRETCH_COST + copying, deleting)
    return costs


def common_prefix(lemma: str, form: str) -> int:
    """How many characters both begin with."""
    shortest = min(len(lemma), len(form))
    return next((i for i in range(shortest) if lemma[i] != form[i]), shortest)
