"""The distribution over tags against the sum of its two ways to come by a tag, written out."""

import itertools
import math

import pytest
import torch
from allennlp.data import Vocabulary

from allennlp_svae.modules.tag_classifier import TagClassifier
from allennlp_svae.modules.tag_factors import TagFactors
from allennlp_svae.modules.tag_inventory import TagInventory

TAGS = ["NOUN;Case=Acc;Number=Sing", "NOUN;Number=Plur", "VERB;Number=Sing;Tense=Past", "PUNCT"]


@pytest.fixture
def classifier():
    torch.manual_seed(0)
    vocab = Vocabulary(counter={"morphology": dict.fromkeys(TAGS, 1)})
    inventory = TagInventory(vocab)
    is_frequent = torch.tensor([str(tag) != TAGS[1] for tag in inventory.tags])
    made = TagClassifier(inventory, TagFactors(inventory.tags), is_frequent, 5, 4)
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter)
    return made


def all_choices(factors):
    starts = itertools.accumulate(factors.sizes[:-1], initial=0)
    spans = [range(start, start + size) for start, size in zip(starts, factors.sizes, strict=True)]
    for pos, *places in itertools.product(range(len(factors.pos)), *spans):
        if all(factors.is_possible[pos, place] for place in places):
            yield pos, *places


def expected_log_prob(classifier, hidden, of_lemmas, choices, inventory):
    factors, (pos, *places) = classifier._factors, choices
    with_pos = torch.tanh(classifier.hidden(hidden) + classifier.pos_embedding[pos])
    values = classifier.values(with_pos) + classifier.value_bias[pos]
    factored = classifier.pos(hidden).softmax(0)[pos]
    start = 0
    for place, size in zip(places, factors.sizes, strict=True):
        possible = [at for at in range(start, start + size) if factors.is_possible[pos, at]]
        factored = factored * values[possible].softmax(0)[possible.index(place)]
        start += size
    gate = classifier.gate(hidden).sigmoid()[0]
    tag = factors.tag_of(choices)
    total = (1 - gate) * factored
    if tag in inventory and classifier.is_frequent[inventory.index_of(tag)]:
        scores = classifier.whole(hidden) + of_lemmas
        for index, each in enumerate(inventory.tags):
            for part in each.parts:
                scores[index] += classifier.parts(hidden)[inventory.parts.index(part)]
        frequent = [index for index in range(len(inventory)) if classifier.is_frequent[index]]
        whole = scores[frequent].softmax(0)
        total = total + gate * whole[frequent.index(inventory.index_of(tag))]
    return math.log(float(total))


def test_it_is_the_mixture_of_whole_tags_and_products(classifier):
    inventory = TagInventory(Vocabulary(counter={"morphology": dict.fromkeys(TAGS, 1)}))
    hidden, of_lemmas = torch.randn(2, 5), torch.randn(2, len(TAGS))
    with torch.no_grad():
        distribution = classifier(hidden, of_lemmas)
        tags = list(all_choices(classifier._factors))
        assert len(tags) == 2 * 3 + 3 * 2 + 1
        ordered = distribution.best_first()
        for word in range(2):
            expected = {
                choices: expected_log_prob(
                    classifier, hidden[word], of_lemmas[word], choices, inventory
                )
                for choices in tags
            }
            assert sum(map(math.exp, expected.values())) == pytest.approx(1.0)
            asked = torch.full((len(tags),), word)
            found = distribution.log_prob(asked, tags).tolist()
            assert found == pytest.approx(list(expected.values()), abs=1e-4)
            pairs = list(ordered[word])
            assert [log_prob for log_prob, _ in pairs] == pytest.approx(
                sorted(expected.values(), reverse=True), abs=1e-4
            )
            assert {choices for _, choices in pairs} == set(tags)
            for log_prob, choices in pairs:
                assert log_prob == pytest.approx(expected[choices], abs=1e-4)


def test_tags_without_attributes_are_parts_of_speech():
    inventory = TagInventory(Vocabulary(counter={"morphology": {"NOUN": 2, "VERB": 1}}))
    is_frequent = torch.tensor([True, False])
    made = TagClassifier(inventory, TagFactors(inventory.tags), is_frequent, 3, 2)
    with torch.no_grad():
        distribution = made(torch.randn(1, 3), torch.zeros(1, 2))
        pairs = list(distribution.best_first()[0])
        assert sorted(choices for _, choices in pairs) == [(0,), (1,)]
        assert sum(math.exp(log_prob) for log_prob, _ in pairs) == pytest.approx(1.0)
        assert distribution.sample()[0] in {(0,), (1,)}
        both = distribution.log_prob(torch.tensor([0, 0]), [choices for _, choices in pairs])
        assert both.tolist() == pytest.approx([log_prob for log_prob, _ in pairs], abs=1e-5)
