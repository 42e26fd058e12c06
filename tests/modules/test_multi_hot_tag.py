import math

import pytest
import torch
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Token, Vocabulary

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.tag_parts_indexer import TagPartsIndexer
from allennlp_svae.modules.multi_hot_tag import TagSoftmax, multi_hot_embedder, part_ids_of
from allennlp_svae.modules.tag_inventory import TagInventory

TAGS = ["N;ACC;SG", "N;PL", "V;PST", "_"]


@pytest.fixture
def vocab() -> Vocabulary:
    vocab = Vocabulary()
    for tag in (START_SYMBOL, END_SYMBOL, *TAGS):
        vocab.add_token_to_namespace(tag, "morphology")
    for part in (START_SYMBOL, END_SYMBOL, "_", "N", "V", "ACC", "SG", "PL", "PST"):
        vocab.add_token_to_namespace(part, "tag_parts")
    return vocab


def explicit_sum(weight: torch.Tensor, vocab: Vocabulary, text: str) -> torch.Tensor:
    rows = [vocab.get_token_index(part, "tag_parts") for part in text.split(";")]
    return torch.stack([weight[row] for row in rows]).sum(0)


# The last tag is in no training data, but its parts are.
@pytest.mark.parametrize("text", [*TAGS, START_SYMBOL, "V;ACC;PL"])
def test_a_tag_is_the_sum_of_its_parts(vocab: Vocabulary, text: str) -> None:
    embedder = multi_hot_embedder(vocab, 6)
    indexer = TagPartsIndexer()
    # Beside a longer tag, so that there is padding to be left out.
    indexed = indexer.tokens_to_indices([Token(text), Token("N;ACC;PL;PST;SG")], vocab)
    part_ids = indexer.as_padded_tensor_dict(indexed, indexer.get_padding_lengths(indexed))
    embedded = embedder(part_ids["token_characters"].unsqueeze(0))
    weight = embedder._embedding._module.weight
    assert embedded.shape == (1, 2, 6)
    torch.testing.assert_close(embedded[0, 0], explicit_sum(weight, vocab, text))


def test_softmax_is_over_the_known_tags_and_end(vocab: Vocabulary) -> None:
    inventory = TagInventory(vocab, specials=True)
    embedder = multi_hot_embedder(vocab, 6)
    softmax = TagSoftmax(inventory, vocab, embedder)
    torch.nn.init.normal_(softmax.bias)
    hidden = torch.randn(2, 3, 6)
    logits = softmax(hidden)
    assert logits.shape == (2, 3, len(TAGS) + 2)
    weight = embedder._embedding._module.weight
    for position, tag in enumerate(inventory.tags):
        if tag == MorphTag(START_SYMBOL):
            assert (logits[..., position] == -math.inf).all()
        else:
            expected = hidden @ explicit_sum(weight, vocab, ";".join(tag.parts))
            torch.testing.assert_close(logits[..., position], expected + softmax.bias[position])


def test_gradients_reach_shared_parts_and_are_finite(vocab: Vocabulary) -> None:
    softmax = TagSoftmax(TagInventory(vocab, specials=True), vocab, multi_hot_embedder(vocab, 6))
    logits = softmax(torch.randn(4, 6))
    torch.nn.functional.cross_entropy(logits, torch.tensor([1, 2, 3, 4])).backward()
    gradient = softmax.embedder._embedding._module.weight.grad
    assert torch.isfinite(gradient).all()
    assert gradient[vocab.get_token_index("N", "tag_parts")].abs().sum() > 0
    assert torch.isfinite(softmax.bias.grad).all()


def test_part_ids_follow_the_inventory(vocab: Vocabulary) -> None:
    inventory = TagInventory(vocab, specials=True)
    for tag, row in zip(inventory.tags, part_ids_of(inventory, vocab).tolist(), strict=True):
        names = [vocab.get_token_from_index(index, "tag_parts") for index in row if index]
        assert tuple(names) == tag.parts
