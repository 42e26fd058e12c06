"""What is asked again is not computed again, and no more is kept than is to be."""

from typing import List

from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.modules.remembered import Remembered


@given(st.lists(st.lists(st.integers(0, 9), max_size=8), max_size=8), st.integers(0, 6))
def test_answers_are_those_of_what_answers(rounds: List[List[int]], at_most: int) -> None:
    remembered: Remembered[int, int] = Remembered(at_most)
    kept: List[int] = []
    for asked in rounds:
        put: List[int] = []

        def squares(new: List[int], put: List[int] = put) -> List[int]:
            put.extend(new)
            return [number**2 for number in new]

        assert remembered(asked, squares) == {number: number**2 for number in asked}
        distinct = list(dict.fromkeys(asked))
        assert put == [number for number in distinct if number not in kept]
        kept = [*kept, *put][max(0, len(kept) + len(put) - at_most) :]
