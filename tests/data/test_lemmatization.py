from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.casing import capitalize
from allennlp_svae.data.lemmatization import (
    CAPITAL_AT_THE_BEGINNING,
    CAPITAL_WITHIN,
    Source,
    lemmatizations,
    sources,
)
from allennlp_svae.data.sentence import Sentence, Token, Triple
from allennlp_svae.data.tag import MorphTag

NOUN = MorphTag.parse("NOUN;Number=Sing")


def test_a_capital_is_told_apart_by_its_place() -> None:
    assert sources(["–", "Kuu", "paistab", "Narva", "ÜRO", "A-3", "öö", "É"]) == [
        Source("–", ""),
        Source("kuu", CAPITAL_AT_THE_BEGINNING),
        Source("paistab", ""),
        Source("narva", CAPITAL_WITHIN),
        # More than one capital is no matter of place.
        Source("ÜRO", ""),
        Source("a-3", CAPITAL_WITHIN),
        Source("öö", ""),
        Source("é", CAPITAL_WITHIN),
    ]


def test_turkish_i_has_its_own_lower_case() -> None:
    assert [each.text for each in sources(["Irak", "İzmir", "ılık"], dotted=True)] == [
        "ırak",
        "izmir",
        "ılık",
    ]
    assert [each.text for each in sources(["Irak", "İzmir"])] == ["irak", "izmir"]


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1)), st.booleans())
def test_nothing_but_the_capital_is_lost(forms: list, dotted: bool) -> None:
    found = sources(forms, dotted)
    assert len(found) == len(forms)
    for form, source in zip(forms, found, strict=True):
        assert len(source.text) == len(form)
        assert (source.text != form) == bool(source.capital)
        if dotted and source.capital and form[0] in "Iİ":
            assert capitalize(source.text, dotted) == form


def test_words_that_lack_something_are_none() -> None:
    tokens = (Token("Mina", "mina", NOUN), Token("Narva"), Token("Narvas", "Narva", NOUN))
    tokens += (Token("x", None, NOUN), Token("x", "x"))
    assert list(lemmatizations(Sentence(tokens))) == [
        Triple("mina", "mina", MorphTag.parse(f"NOUN;Number=Sing;{CAPITAL_AT_THE_BEGINNING}")),
        Triple("Narva", "narvas", MorphTag.parse(f"NOUN;Number=Sing;{CAPITAL_WITHIN}")),
    ]
