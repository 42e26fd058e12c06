"""Tags by analogy."""

from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.composed_tags import composed_tags
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.tag_attributes import attribute_of


def composed(*tags: str) -> list:
    return [str(tag) for tag in composed_tags(map(MorphTag.parse, tags))]


def test_what_two_tags_differ_in_is_carried_over_to_a_third() -> None:
    seen = ["NOUN;Case=Nom;Number=Sing", "NOUN;Case=Acc;Number=Sing", "NOUN;Case=Nom;Number=Plur"]
    assert composed(*seen) == ["NOUN;Case=Acc;Number=Plur"]
    assert composed(*seen, "ADJ;Case=Nom;Number=Plur") == ["NOUN;Case=Acc;Number=Plur"]
    assert composed("N;NOM;SG", "N;ACC;SG", "N;NOM;PL") == ["N;ACC;PL"]


def test_two_attributes_at_once_are_no_analogy() -> None:
    assert composed("NOUN;Case=Nom;Number=Sing", "NOUN;Case=Acc;Number=Plur") == []


def test_a_feature_is_won_and_lost() -> None:
    seen = ["VERB;Tense=Past", "VERB;Polarity=Neg;Tense=Past", "VERB;Tense=Pres"]
    assert composed(*seen) == ["VERB;Polarity=Neg;Tense=Pres"]


def test_what_more_analogies_speak_for_comes_first() -> None:
    nouns = [f"NOUN;Case={case};Number={number}" for case in "ABC" for number in ("Sing", "Plur")]
    found = composed(*nouns[:5], "NOUN;Case=A;Degree=X;Number=Sing")
    assert found[0] == "NOUN;Case=C;Number=Plur"
    assert len(found) == len(set(found)) > 3


@given(
    st.sets(
        st.builds(
            lambda case, number: MorphTag.of("NOUN", [f"Case={case}", *number]),
            st.sampled_from("ABC"),
            st.sampled_from([[], ["Number=Sing"], ["Number=Plur"]]),
        )
    )
)
def test_composed_tags_are_new_and_have_an_attribute_once(tags: set) -> None:
    found = composed_tags(tags)
    assert not tags & set(found)
    for tag in found:
        attributes = [attribute_of(feature) for feature in tag.features]
        assert len(attributes) == len(set(attributes))
        assert tag.features <= {feature for each in tags for feature in each.features}
