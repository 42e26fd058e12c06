"""What is remembered is a distribution once it has one of new lemmas to go on with: enumerated, and drawn from."""

import math
from collections import Counter

import pytest
import torch
from scipy.stats import chisquare

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.modules.lemma_memory import LemmaMemory

FIRST, SECOND, NOUN = map(MorphTag.parse, ("PRO;1;SG", "PRO;2;SG", "N;SG"))
LABELED = [("minä", FIRST)] * 5 + [("sinä", SECOND)] * 2 + [("mi", FIRST)]
ANNOTATED = [("sinä", SECOND)] * 3 + [("joku", FIRST)]
LEMMAS = ("minä", "sinä", "mi", "joku", "uusi")
# Of a lemma LM that makes up these five alone.
NEW = {"minä": 0.1, "sinä": 0.2, "mi": 0.3, "joku": 0.3, "uusi": 0.1}


def filled() -> LemmaMemory:
    memory = LemmaMemory()
    memory.fill(LABELED, ANNOTATED, 0.25)
    return memory


def test_the_formula_written_out() -> None:
    # γ · 8 labelled tokens are two: each of the four annotated ones counts half.
    of_pos = (0.5 + 3.5 * NEW["joku"]) / (5 + 3.5 + 1 + 0.5 + 3.5)
    of_tag = (0.5 + 2.5 * of_pos) / (5 + 1 + 0.5 + 2.5)
    assert filled().prob("joku", FIRST, NEW["joku"]) == pytest.approx(of_tag)


@pytest.mark.parametrize("tag", [FIRST, SECOND, MorphTag.parse("PRO;3;SG"), NOUN])
def test_probabilities_sum_to_one(tag: MorphTag) -> None:
    memory = filled()
    total = math.fsum(memory.prob(lemma, tag, NEW[lemma]) for lemma in LEMMAS)
    assert total == pytest.approx(1.0)


def test_a_tag_without_memory_has_what_its_part_of_speech_has() -> None:
    memory = filled()
    other = memory.prob("minä", MorphTag.parse("PRO;3;SG"), NEW["minä"])
    assert NEW["minä"] < other < memory.prob("minä", FIRST, NEW["minä"])
    assert memory.prob("minä", NOUN, NEW["minä"]) == NEW["minä"]


@pytest.mark.parametrize("tag", [FIRST, SECOND, MorphTag.parse("PRO;3;SG")])
def test_lemmas_are_drawn_as_often_as_is_due(tag: MorphTag) -> None:
    memory, count = filled(), 20000
    torch.manual_seed(5)
    found = Counter(memory.draw([tag] * count))
    expected = {lemma: memory.prob(lemma, tag, 0.0) * count for lemma in LEMMAS[:4]}
    # The rest is new.
    theory = [*expected.values(), count - sum(expected.values())]
    observed = [*(found[lemma] for lemma in expected), found[None]]
    assert sum(observed) == count
    assert chisquare(observed, theory).pvalue > 1e-3


def test_nothing_known_leaves_all_to_the_lemma_lm() -> None:
    assert LemmaMemory().draw([FIRST, NOUN]) == [None, None]
    assert filled().draw([NOUN]) == [None]


def test_without_gamma_what_was_annotated_is_not_known() -> None:
    memory = LemmaMemory()
    memory.fill(LABELED, ANNOTATED, 0.0)
    assert memory.prob("joku", FIRST, 0.0) == 0.0


def test_few_annotated_tokens_count_no_more_than_labelled_ones() -> None:
    memory = LemmaMemory()
    memory.fill(LABELED, [("joku", NOUN)], 5.0)
    # Once under the tag, and half of what is new there is known of its part of speech.
    assert memory.prob("joku", NOUN, 0.0) == 0.75


def test_filling_again_forgets() -> None:
    memory = filled()
    memory.fill([("talo", NOUN)])
    assert memory.prob("minä", FIRST, 0.0) == 0.0
    assert memory.prob("talo", NOUN, 0.0) == 0.75


def test_the_state_holds_everything() -> None:
    memory, copy = filled(), LemmaMemory()
    copy.load_state_dict(memory.state_dict())
    for tag in (FIRST, SECOND, NOUN):
        for lemma in LEMMAS:
            assert copy.prob(lemma, tag, 0.1) == memory.prob(lemma, tag, 0.1)
