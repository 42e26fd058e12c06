import pytest
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.edit_tree_index import EditTreeIndex
from allennlp_svae.data.lemma_features import LemmaFeatureNumbers, lemma_features
from allennlp_svae.data.lemma_rules import analyze
from allennlp_svae.data.word_features import shape

# Few characters, so that affixes, trees and lemmas recur; some that features and trees treat apart.
WORDS = st.text("abAİı1 \n=(>", min_size=1, max_size=6)
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=6)


@given(PAIRS, st.lists(WORDS, max_size=4))
def test_numbers_are_those_of_the_features_that_are_known(pairs, words):
    seen = [(form, analyze(form, lemma)) for form, lemma in pairs]
    known = dict.fromkeys(feature for each in seen for feature in lemma_features(*each))
    ids = {feature: number for number, feature in enumerate(known)}
    numbers = LemmaFeatureNumbers(ids)
    trees = EditTreeIndex(dict.fromkeys(analysis.tree for _, analysis in seen))
    for form in [*words, *(form for form, _ in pairs)]:
        analyses = [
            *trees.candidates(form, at_most=20),
            *(analysis for other, analysis in seen if other == form),
        ]
        for analysis, found in zip(analyses, numbers(form, analyses), strict=True):
            features = lemma_features(form, analysis)
            assert sorted(found) == sorted(ids[each] for each in features if each in ids)


def test_of_nothing_known_there_are_no_numbers():
    assert LemmaFeatureNumbers({})("goes", [analyze("goes", "go")]) == [[]]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("word", "x"),
        ("Word", "Xx"),
        ("W", "X"),
        ("WORD", "X"),
        ("wOrd", "xXx"),
        ("3.14", "d.d"),
        ("𝐀b", "Xx"),
        ("語", "x"),
    ],
)
def test_the_shape_is_which_kinds_follow_each_other(text, kinds):
    assert shape(text) == kinds
