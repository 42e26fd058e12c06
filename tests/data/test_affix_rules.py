import itertools
from collections import Counter
from pathlib import Path
from typing import List, Optional, Tuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.affix_rules import (
    GAP_COST,
    SUBSTITUTION_COST,
    AffixRules,
    align,
    best_shift,
    inflects_at_front,
    prefix_rules,
    split_affixes,
    suffix_rules,
)
from allennlp_svae.data.sentence import Triple, triples_of
from allennlp_svae.data.tag import MorphTag

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
PAST = MorphTag.parse("V;PST")
PLURAL = MorphTag.parse("N;PL")

words = st.text(max_size=6)
short_words = st.text("ab", max_size=4)


def cost_of(columns: List[Tuple[Optional[str], Optional[str]]]) -> int:
    return sum(
        GAP_COST if None in column else SUBSTITUTION_COST * (column[0] != column[1])
        for column in columns
    )


def least_cost(lemma: str, form: str) -> int:
    if not lemma or not form:
        return GAP_COST * (len(lemma) + len(form))
    return min(
        least_cost(lemma[1:], form[1:]) + SUBSTITUTION_COST * (lemma[0] != form[0]),
        least_cost(lemma, form[1:]) + GAP_COST,
        least_cost(lemma[1:], form) + GAP_COST,
    )


class TestAlignment:
    @given(words, words)
    def test_columns_spell_both_words(self, lemma: str, form: str) -> None:
        columns = align(lemma, form)
        assert "".join(left or "" for left, _ in columns) == lemma
        assert "".join(right or "" for _, right in columns) == form

    @given(short_words, short_words)
    def test_it_is_a_cheapest_one(self, lemma: str, form: str) -> None:
        assert cost_of(align(lemma, form)) == least_cost(lemma, form)

    def test_ties_prefer_insertion_to_deletion(self) -> None:
        assert align("ab", "ba") == [(None, "b"), ("a", "a"), ("b", None)]

    @given(short_words, short_words)
    def test_shift_is_the_best_gapless_alignment(self, lemma: str, form: str) -> None:
        def differences(lemma_padding: int, form_padding: int) -> int:
            padded_lemma = "_" * lemma_padding + lemma
            padded_form = "_" * form_padding + form
            return sum(
                left != right
                for left, right in itertools.zip_longest(padded_lemma, padded_form, fillvalue="_")
            )

        least = min(
            differences(lemma_padding, form_padding)
            for lemma_padding in range(len(form) + 1)
            for form_padding in range(len(lemma) + 1)
        )
        shift = best_shift(lemma, form)
        assert differences(max(-shift, 0), max(shift, 0)) == least


class TestRules:
    def test_by_hand(self) -> None:
        parts = split_affixes(align("spielen", "gespielt"))
        assert parts.prefix == ("", "ge")
        assert suffix_rules(parts)[0][0] in ("en", "n")
        assert ("", "ge") in prefix_rules(parts)
        assert ("spi", "gespi") in prefix_rules(parts)
        assert ("spielen", "spielt") in suffix_rules(parts)

    @given(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8))
    def test_one_inflection_is_reproduced(self, lemma: str, form: str) -> None:
        assert AffixRules([Triple(form, lemma, PAST)]).inflect(lemma, PAST) == form

    def test_generalizes_over_stems(self) -> None:
        rules = AffixRules(
            [
                Triple("walked", "walk", PAST),
                Triple("jumped", "jump", PAST),
                Triple("baked", "bake", PAST),
            ]
        )
        assert rules.inflect("talk", PAST) == "talked"
        assert rules.inflect("rake", PAST) == "raked"

    def test_unseen_tag_copies_the_lemma(self) -> None:
        assert AffixRules([Triple("walked", "walk", PAST)]).inflect("cat", PLURAL) == "cat"

    def test_longest_left_side_wins_then_count(self) -> None:
        rules = AffixRules(
            [
                Triple("cats", "cat", PLURAL),
                Triple("dogs", "dog", PLURAL),
                Triple("cities", "city", PLURAL),
            ]
        )
        assert rules.inflect("pity", PLURAL) == "pities"
        assert rules.inflect("hub", PLURAL) == "hubs"

    def test_prefixing_language_is_read_backwards(self) -> None:
        triples = [Triple("wakula", "kula", PLURAL), Triple("wasoma", "soma", PLURAL)]
        assert inflects_at_front(triples)
        assert AffixRules(triples).inflect("cheza", PLURAL) == "wacheza"
        assert not inflects_at_front([Triple("cats", "cat", PLURAL)])

    def test_boundary_marks_in_words_are_letters(self) -> None:
        rules = AffixRules([Triple("<b>s", "<b>", PLURAL)])
        assert rules.inflect("<i>", PLURAL) == "<i>s"

    def test_order_of_the_data_does_not_matter(self) -> None:
        triples = [Triple("aab", "aa", PAST), Triple("aac", "aa", PAST), Triple("bab", "ba", PAST)]
        answers = {
            tuple(AffixRules(order).inflect(lemma, PAST) for lemma in ("aa", "ba", "ca", "c"))
            for order in itertools.permutations(triples)
        }
        assert len(answers) == 1


@pytest.mark.skipif(not SHARED.exists(), reason="the treebanks in ../shared are absent")
@pytest.mark.parametrize(("language", "accuracy"), [("lv", 55.7), ("hu", 53.4)])
def test_shared_tasks_baseline_is_reproduced(language: str, accuracy: float) -> None:
    from allennlp_svae.data.treebank import read_sentences

    folder = SHARED / "ud" / language
    labeled = Counter(triples_of(read_sentences(f"{folder}/train.conllu#labeled", "paper", 500)))
    test = Counter(triples_of(read_sentences(f"{folder}/test.conllu", "paper")))
    rules = AffixRules(labeled)
    right = sum(rules.inflect(lemma, tag) == form for form, lemma, tag in test)
    assert 100 * right / len(test) == pytest.approx(accuracy, abs=1.0)
