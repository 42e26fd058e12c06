import pytest

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.modules.tag_factors import TagFactors

TAGS = ["NOUN;Case=Acc;Number=Sing", "NOUN;Number=Plur", "VERB;Number=Sing;Tense=Past", "PUNCT"]
FACTORS = TagFactors([MorphTag.parse(tag) for tag in TAGS])


@pytest.mark.parametrize("text", [*TAGS, "NOUN;Case=Acc;Number=Plur", "VERB;Number=Plur", "NOUN"])
def test_combinations_of_what_was_seen_come_back(text):
    choices = FACTORS.choices(MorphTag.parse(text))
    assert choices is not None
    assert FACTORS.tag_of(choices) == MorphTag.parse(text)


@pytest.mark.parametrize(
    "text",
    ["X", "NOUN;Case=Dat", "NOUN;Gender=Fem", "VERB;Case=Acc", "PUNCT;Number=Sing"],
)
def test_pos_values_and_attributes_that_were_not_seen_together_are_no_choice(text):
    assert FACTORS.choices(MorphTag.parse(text)) is None


def test_where_tags_have_no_attributes_the_part_of_speech_is_all():
    factors = TagFactors([MorphTag("NOUN"), MorphTag("VERB")])
    assert factors.choices(MorphTag("VERB")) == (1,)
    assert factors.is_possible.shape == (2, 0)
