"""Vectors of words against a dense decomposition of PPMI computed pair by pair."""

import math
import random
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from allennlp_svae.data.neighbor_vectors import SMOOTHING, neighbor_vectors
from allennlp_svae.data.raw_text import RawText

LETTERS = random.Random(3)
SENTENCES = [
    [LETTERS.choice("abcdefgh") for _ in range(LETTERS.randrange(1, 7))] for _ in range(60)
]


def dense_vectors(sentences: list, words: list, dim: int) -> np.ndarray:
    pairs: Counter = Counter()
    for forms in sentences:
        padded = ["</s>", *forms, "</s>"]
        for before, after in pairwise(padded):
            pairs[after, ("left", before)] += 1
            pairs[before, ("right", after)] += 1
    del pairs["</s>", ("left", "</s>")]
    pairs = Counter({pair: count for pair, count in pairs.items() if pair[0] != "</s>"})
    of_words: Counter = Counter()
    of_neighbors: Counter = Counter()
    for (word, neighbor), count in pairs.items():
        of_words[word] += count
        of_neighbors[neighbor] += count
    total = sum(count**SMOOTHING for count in of_neighbors.values())
    neighbors = sorted(of_neighbors)
    information = np.zeros((len(words), len(neighbors)))
    for (word, neighbor), count in pairs.items():
        joint_given_word = count / of_words[word]
        prior = of_neighbors[neighbor] ** SMOOTHING / total
        information[words.index(word), neighbors.index(neighbor)] = max(
            0.0, math.log(joint_given_word / prior)
        )
    left, scales, _ = np.linalg.svd(information)
    vectors = left[:, :dim] * np.sqrt(scales[:dim])
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("small", [0, 500])
@pytest.mark.parametrize("dim", [2, 5])
def test_they_are_those_of_the_dense_decomposition(
    dim: int, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("allennlp_svae.data.neighbor_vectors.SMALL", small)
    text = RawText(SENTENCES)
    found = neighbor_vectors(text, dim)
    expected = dense_vectors(SENTENCES, text.words, dim)
    # Each dimension but for its sign.
    assert np.allclose(np.abs(found), np.abs(expected), atol=1e-6)
    assert np.allclose(found @ found.T, expected @ expected.T, atol=1e-6)
    assert np.array_equal(found, neighbor_vectors(RawText(SENTENCES), dim))


def test_words_in_the_same_places_have_the_same_vector() -> None:
    nouns, verbs = ["wug", "blick", "dax"], ["runs", "sits"]
    text = RawText(
        [["the", noun, verb] for noun in nouns for verb in verbs]
        + [["a", noun, verb] for noun in nouns for verb in verbs]
    )
    vectors = dict(zip(text.words, neighbor_vectors(text, 3), strict=True))
    assert vectors["wug"] @ vectors["dax"] > 0.99
    assert vectors["wug"] @ vectors["runs"] < 0.5


def test_a_word_outside_of_the_dimensions_has_no_vector() -> None:
    # The neighbors of `k` to `n` are those of no other word, and the one dimension is theirs.
    nouns = ["k", "l", "m", "n"]
    sentences = [["the", noun, verb] for noun in nouns for verb in ("o", "p")]
    text = RawText([*sentences, ["x", "y", "z"], ["x", "y", "z"]])
    lengths = np.linalg.norm(neighbor_vectors(text, 1), axis=1)
    assert lengths == pytest.approx([float(word in nouns) for word in text.words])


def test_dimensions_of_equal_weight_are_the_same_in_each_run() -> None:
    text = RawText([[f"{place}a", f"{place}b", f"{place}c"] for place in range(30)])
    assert np.array_equal(neighbor_vectors(text, 8), neighbor_vectors(text, 8))


def test_there_are_no_more_dimensions_than_the_text_has() -> None:
    # Of ten kinds of place three words each.
    text = RawText([[f"{place}", f"{place}{word}"] for place in range(10) for word in "abc"])
    vectors = neighbor_vectors(text, len(text.words) - 1)
    rank = np.linalg.matrix_rank(vectors, tol=1e-6)
    assert 10 <= rank <= 30
    assert not vectors[:, rank:].any()
    assert np.array_equal(vectors, neighbor_vectors(text, len(text.words) - 1))


@pytest.mark.parametrize(
    "sentences", [[], [["a"]], [["a"], ["b"], ["c"]], [["a", "b"], ["b", "a"]]]
)
def test_little_text_leaves_dimensions_empty(sentences: list) -> None:
    text = RawText(sentences)
    vectors = neighbor_vectors(text, 4)
    assert vectors.shape == (len(text.words), 4)
    assert np.isfinite(vectors).all()
    assert not vectors[:, len(text.words) :].any()
