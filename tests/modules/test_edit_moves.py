from itertools import product
from typing import Iterator, List, Tuple

import torch
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Vocabulary
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.edit_actions import COPY, DELETE, Actions, derivations
from allennlp_svae.modules.edit_moves import EditMoves

NAMESPACE = "characters"
MOST_INSERTED = 2


SYMBOLS = dict.fromkeys([START_SYMBOL, END_SYMBOL, "a", "b"], 1)
MOVES = EditMoves(Vocabulary(counter={NAMESPACE: SYMBOLS}), NAMESPACE, MOST_INSERTED)
LEMMAS = st.text("ab", max_size=3)


def character_id(character: str) -> int:
    return MOVES._vocab.get_token_index(character, NAMESPACE)


def possible(lemma: str) -> Iterator[List[int]]:
    """All that `forbidden` lets one do with a lemma, up to the end."""

    def continued(done: List[int], pointer: int, inserted: int) -> Iterator[List[int]]:
        if done[-1:] == [MOVES.end]:
            yield done
            return
        at_end = pointer == len(lemma)
        forbidden = MOVES.forbidden(
            torch.tensor(done[-1] if done else MOVES.start),
            torch.tensor(inserted),
            torch.tensor(MOVES.end if at_end else character_id(lemma[pointer])),
            torch.tensor(at_end),
        )
        for action in (~forbidden).nonzero().flatten():
            moves, inserts = MOVES.moves_pointer(action), MOVES.inserts(action)
            yield from continued(
                [*done, int(action)], pointer + int(moves), inserted + int(inserts)
            )

    return continued([], 0, 0)


def is_within(actions: Actions) -> bool:
    return sum(action not in (COPY, DELETE) for action in actions) <= MOST_INSERTED


@given(LEMMAS)
def test_what_is_possible_is_each_derivation_of_each_form(lemma: str) -> None:
    found = [tuple(one) for one in possible(lemma)]
    lengths = range(len(lemma) + MOST_INSERTED + 1)
    forms = ["".join(form) for length in lengths for form in product("ab", repeat=length)]
    expected: List[Tuple[int, ...]] = [
        tuple(MOVES.steps([actions]).targets[0].tolist())
        for form in forms
        for actions in derivations(lemma, form)
        if is_within(actions)
    ]
    assert sorted(found) == sorted(expected)


@given(st.lists(st.tuples(LEMMAS, LEMMAS), min_size=1, max_size=4))
def test_steps_write_the_form(pairs: List[Tuple[str, str]]) -> None:
    chosen = [next(derivations(lemma, form)) for lemma, form in pairs]
    steps = MOVES.steps(chosen)
    assert {one.shape for one in steps} == {(len(pairs), max(map(len, chosen)) + 1)}
    for (lemma, form), actions, targets in zip(pairs, chosen, steps.targets, strict=True):
        assert MOVES.written(targets.tolist(), lemma) == form
        assert targets.tolist()[len(actions)] == MOVES.end
        assert set(targets.tolist()[len(actions) + 1 :]) <= {MOVES.start}


@given(LEMMAS, LEMMAS)
def test_each_step_knows_what_was_before(lemma: str, form: str) -> None:
    actions = next(derivations(lemma, form))
    # The other one is longer.
    steps = MOVES.steps([actions, (COPY,) * 9])
    for number in range(len(actions) + 1):
        before = actions[:number]
        assert steps.pointers[0, number] == 1 + sum(one in (COPY, DELETE) for one in before)
        assert steps.insertions[0, number] == sum(one not in (COPY, DELETE) for one in before)
    assert steps.previous[0].tolist() == [MOVES.start, *steps.targets[0].tolist()[:-1]]


def test_a_character_of_no_vocabulary_can_be_copied() -> None:
    assert MOVES.written([MOVES.delete, MOVES.copy, character_id("b"), MOVES.end], "aж") == "жb"
