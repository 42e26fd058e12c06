from unicodedata import normalize

from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.normal_forms import written_twice

DECOMPOSED = "c\u0327a"


def test_only_what_is_there_in_both_forms_is_found() -> None:
    assert written_twice({DECOMPOSED, "ça", "a"}) == [DECOMPOSED]
    assert written_twice({DECOMPOSED, "ca", "a"}) == []
    # Shadda before the vowel is how Arabic is typed, and not NFC's order.
    assert written_twice({"مُحَمَّد"}) == []


@given(st.sets(st.text(alphabet="aeç\u0327\u0301é", max_size=4)))
def test_each_has_its_twin_and_one_normal_form_has_none(words: set) -> None:
    found = written_twice(words)
    assert found == sorted(
        word for word in words for other in words if word != other == normalize("NFC", word)
    )
    assert written_twice({normalize("NFC", word) for word in words}) == []
    assert written_twice({normalize("NFD", word) for word in words}) == []
