from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from allennlp_svae.data.new_pairs import new_pairs
from allennlp_svae.data.tag import MorphTag

TAGS = [MorphTag.parse(tag) for tag in ("N;SG", "N;PL", "N;ACC;SG", "V;PST", "V;PRS")]
PAIRS = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(TAGS)), max_size=12)


@given(PAIRS, st.integers(0, 30), st.integers(0, 3))
def test_they_are_all_the_combinations_of_a_part_of_speech_or_as_many_as_wanted(seen, count, seed):
    possible = {
        (lemma, tag)
        for lemma, one in seen
        for _, tag in seen
        if one.pos == tag.pos and (lemma, tag) not in seen
    }
    drawn = new_pairs(seen, count, seed)
    assert len(drawn) == len(set(drawn)) == min(count, len(possible))
    assert set(drawn) <= possible
    assert drawn == new_pairs(seen, count, seed)


def test_what_is_productive_is_drawn_more():
    singular, plural, accusative = TAGS[:3]
    # Lemma a has two tags, the others one; the singular has two lemmas, the others one.
    seen = [("a", singular), ("a", plural), ("b", singular), ("c", accusative)]
    weights = {
        ("a", accusative): 2,
        ("b", plural): 1,
        ("b", accusative): 1,
        ("c", singular): 2,
        ("c", plural): 1,
    }
    draws = 2000
    counts = Counter(new_pairs(seen, 1, seed)[0] for seed in range(draws))
    assert counts.keys() == weights.keys()
    expected = [draws * weight / sum(weights.values()) for weight in weights.values()]
    assert chisquare([counts[pair] for pair in weights], expected).pvalue > 1e-3
