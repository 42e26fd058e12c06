"""The tags and parts that a vocabulary lists."""

import pytest
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Vocabulary

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.modules.tag_inventory import TagInventory

TAGS = ["N;ACC;SG", "V", "N;NOM;SG"]


@pytest.fixture
def vocab() -> Vocabulary:
    return Vocabulary(tokens_to_add={"morphology": [START_SYMBOL, *TAGS, END_SYMBOL]})


def test_tags_are_listed_in_the_order_of_their_ids_without_specials(vocab: Vocabulary) -> None:
    inventory = TagInventory(vocab)
    assert inventory.tags == [MorphTag.parse(tag) for tag in TAGS]
    assert inventory.ids.tolist() == [vocab.get_token_index(tag, "morphology") for tag in TAGS]
    assert inventory.positions.tolist() == [-1, -1, -1, 0, 1, 2, -1]


def test_multi_hot_marks_exactly_the_parts_of_each_tag(vocab: Vocabulary) -> None:
    inventory = TagInventory(vocab)
    assert inventory.parts == ["ACC", "N", "NOM", "SG", "V"]
    assert inventory.multi_hot.tolist() == [[1, 1, 0, 1, 0], [0, 0, 0, 0, 1], [0, 1, 1, 1, 0]]
    assert [inventory.parts[i] for i in inventory.pos_ids] == ["N", "V", "N"]


def test_specials_are_tags_whose_only_part_is_their_name(vocab: Vocabulary) -> None:
    inventory = TagInventory(vocab, specials=True)
    assert len(inventory) == 5
    start = inventory.index_of(MorphTag(START_SYMBOL))
    assert inventory.multi_hot[start].sum() == 1
    assert inventory.multi_hot[start, inventory.parts.index(START_SYMBOL)] == 1


def test_an_unknown_tag_has_no_index(vocab: Vocabulary) -> None:
    inventory = TagInventory(vocab)
    assert MorphTag.parse("ADJ") not in inventory
    with pytest.raises(KeyError):
        inventory.index_of(MorphTag.parse("ADJ"))
