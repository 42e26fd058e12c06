import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data import word_model
from allennlp_svae.data.word_model import WordModel

WORDS = st.lists(st.text("abc", max_size=5), min_size=1, max_size=8)
END = object()


def brute_force(words, order, character, history, alphabet):
    """p(character | history) by the formula, counted afresh; `alphabet` with END and one unknown character."""
    if order == 0:
        return 1 / len(alphabet)
    padded = [["^", *word.lower(), END] for word in {word.lower() for word in words}]
    context = history[len(history) - (order - 1) :] if order > 1 else []
    followers = [
        word[place]
        for word in padded
        for place in range(1, len(word))
        if place >= len(context) and word[place - len(context) : place] == context
    ]
    shorter = brute_force(words, order - 1, character, history, alphabet)
    if len(context) < order - 1 or not followers:
        return shorter
    surprises = len(set(followers))
    return (followers.count(character) + surprises * shorter) / (len(followers) + surprises)


@given(WORDS, st.text("abcd", max_size=5), st.integers(1, 4))
def test_the_formula(words, word, order):
    alphabet = [*sorted(set("".join(words))), END, "unknown"]
    history, expected = ["^"], 0.0
    for character in [*word, END]:
        expected += math.log(brute_force(words, order, character, history, alphabet))
        history.append(character)
    assert WordModel(words, order).log_probs([word]) == pytest.approx([expected])


@given(WORDS, st.text("abcd", max_size=3))
def test_what_follows_sums_to_one(words, beginning):
    model = WordModel(words, order=3)
    alphabet = set("".join(words))
    # p(beginning …) by its continuations one character longer and by ending here.
    ending = math.exp(model.log_probs([beginning])[0])
    assert ending <= 1.0
    longer = [beginning + character for character in [*alphabet, "z"]]
    prefix_after = [prefix_prob(words, text) for text in longer]
    assert ending + sum(prefix_after) == pytest.approx(prefix_prob(words, beginning))


def prefix_prob(words, beginning):
    alphabet = [*sorted(set("".join(words))), END, "unknown"]
    prob, history = 1.0, ["^"]
    for character in beginning:
        prob *= brute_force(words, 3, character, history, alphabet)
        history.append(character)
    return prob


def test_words_of_the_language_are_likelier():
    model = WordModel(["evler", "eller", "atlar", "kollar", "diller"])
    like, unlike = model.log_probs(["güller", "güllar"])
    assert like > unlike


def test_neither_case_nor_repetition_nor_company_matters():
    model = WordModel(["Ev", "ev", "EV", "at"])
    assert model.log_probs(["EV", "at"]) == WordModel(["ev", "at"]).log_probs(["ev", "at"])
    assert model.log_probs(["ev", "at", "xyz"])[:2] == model.log_probs(["ev", "at"])
    assert model.log_probs([]) == []
    # Lower case of this letter has two characters.
    assert math.isfinite(model.log_probs(["İ"])[0])


def test_no_words():
    with pytest.raises(ValueError, match="words"):
        WordModel([])


@given(WORDS, st.text("abcd", max_size=6))
def test_what_follows_a_beginning_sums_to_one(words, beginning):
    model = WordModel(words)
    # START is given; the last id stands for all that no word has.
    ids = np.array([each for each in range(model.num_ids) if each != word_model.START])
    states = model.after([beginning] * len(ids))
    log_probs, _ = model.extend(states, ids)
    assert math.fsum(map(math.exp, log_probs)) == pytest.approx(1.0)


@given(WORDS, st.lists(st.text("abcd", min_size=3, max_size=3), max_size=3), st.integers(1, 4))
def test_character_by_character_it_is_the_same(words, asked, order):
    model = WordModel(words, order)
    states, totals = model.beginning(len(asked)), np.zeros(len(asked))
    steps = [*zip(*map(model.ids, asked), strict=True), [word_model.END] * len(asked)]
    for characters in steps if asked else []:
        log_probs, states = model.extend(states, np.array(characters))
        totals += log_probs
    assert totals.tolist() == pytest.approx(model.log_probs(asked))


def test_texts_of_all_lengths_are_read_together():
    model = WordModel(["Evler", "atlar"])
    texts = ["", "ev", "atlar", "EV", "ş"]
    states = model.after(texts)
    assert states[0] == model.beginning(1)[0]
    assert states[1] == states[3]
    alone = [model.after([text])[0] for text in texts]
    assert states.tolist() == alone
    assert model.after([]).tolist() == []


def test_bigrams_are_what_follows_what():
    model = WordModel(["ab", "ca"])
    names = dict(zip([word_model.START, word_model.END, *model.ids("abc")], "^$abc", strict=True))
    found = [
        (names[first], names[second])
        for first, second in zip(*(each.tolist() for each in model.bigrams()), strict=True)
    ]
    assert set(found) == {("^", "a"), ("^", "c"), ("a", "b"), ("b", "$"), ("c", "a"), ("a", "$")}
    assert len(found) == 6
    states = model.after(["", "a", "ab", "c", "?"])
    ids = [word_model.START, *model.ids("abc?")]
    assert model.last_characters(states).tolist() == ids
