from itertools import islice, product
from typing import Iterator, List, Tuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.edit_actions import (
    COPY,
    DELETE,
    apply_actions,
    derivations,
    edit_actions,
)

WORDS = ["".join(characters) for length in range(4) for characters in product("ab", repeat=length)]


def all_derivations(lemma: str, form: str) -> Iterator[Tuple[str, ...]]:
    """By trying every sequence of actions, with the two restrictions checked afterwards."""

    def extend(i: int, j: int, done: List[str]) -> Iterator[Tuple[str, ...]]:
        if i == len(lemma) and j == len(form):
            yield tuple(done)
        if i < len(lemma):
            yield from extend(i + 1, j, [*done, DELETE])
            if j < len(form) and lemma[i] == form[j]:
                yield from extend(i + 1, j + 1, [*done, COPY])
        if j < len(form):
            yield from extend(i, j + 1, [*done, form[j]])

    for actions in extend(0, 0, []):
        pointer = 0
        allowed = True
        for before, action in zip((COPY, *actions), actions, strict=False):
            inserts = action not in (COPY, DELETE)
            if inserts and (before == DELETE or lemma[pointer : pointer + 1] == action):
                allowed = False
            pointer += not inserts
        if allowed:
            yield actions


@pytest.mark.parametrize("lemma", WORDS)
def test_derivations_are_those_found_by_brute_force(lemma: str) -> None:
    for form in WORDS:
        found = list(derivations(lemma, form))
        assert len(set(found)) == len(found)
        assert set(found) == set(all_derivations(lemma, form))


@given(st.text(max_size=15), st.text(max_size=15))
def test_actions_write_the_form(lemma: str, form: str) -> None:
    actions = edit_actions(lemma, form)
    assert apply_actions(actions, lemma) == form
    assert sum(action in (COPY, DELETE) for action in actions) == len(lemma)


@given(st.text(alphabet="abcı", max_size=8), st.text(alphabet="abcı", max_size=8))
def test_every_derivation_writes_the_form(lemma: str, form: str) -> None:
    found = list(islice(derivations(lemma, form), 20))
    assert found
    assert {apply_actions(actions, lemma) for actions in found} == {form}


@pytest.mark.parametrize(
    ("lemma", "form", "actions"),
    [
        ("ev", "evler", [COPY, COPY, "l", "e", "r"]),
        ("kitap", "kitabı", [*[COPY] * 4, "b", "ı", DELETE]),
        ("machen", "gemacht", ["g", "e", *[COPY] * 4, "t", DELETE, DELETE]),
        ("go", "went", ["w", "e", "n", "t", DELETE, DELETE]),
        ("", "a", ["a"]),
        ("a", "", [DELETE]),
        ("", "", []),
        ("x" * 60, "x" * 60, [COPY] * 60),
    ],
)
def test_cheapest_derivation_copies_in_long_stretches(
    lemma: str, form: str, actions: List[str]
) -> None:
    assert list(edit_actions(lemma, form)) == actions
