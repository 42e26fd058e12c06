import pytest

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.tag_attributes import attribute_of, values_of


@pytest.mark.parametrize(
    ("feature", "attribute"),
    [
        ("Case=Acc", "Case"),
        ("Number[psor]=Sing", "Number[psor]"),
        ("LGSPEC:Degree=Pos", "Degree"),
        ("ACC", "Case"),
        ("TERM", "Case"),
        ("IN+ESS", "Case"),
        ("{ACC/DAT}", "Case"),
        ("PST", "Tense"),
        ("PSS3S", "[psor]"),
        ("PSSS", "[psor]"),
        ("ARGAB3S", "[abs]"),
        ("LGSPEC1", "LGSPEC1"),
        ("FOO", "FOO"),
    ],
)
def test_the_attribute_of_features_of_all_tagsets(feature: str, attribute: str) -> None:
    assert attribute_of(feature) == attribute


def test_two_features_of_an_attribute_are_one_value() -> None:
    tag = MorphTag.parse("N;ACC;DAT;SG")
    assert values_of(tag) == {"Case": ("ACC", "DAT"), "Number": ("SG",)}
    assert values_of(MorphTag("PUNCT")) == {}
