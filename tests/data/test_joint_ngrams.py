"""Joint n-grams of forms and lemmas, against all lemmas of a small alphabet."""

import math
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allennlp_svae.data import joint_beam, joint_ngrams
from allennlp_svae.data.edit_actions import DELETE, apply_actions, derivations, edit_actions
from allennlp_svae.data.joint_ngrams import JointNgrams

WORDS = [
    ("laulab", "laulma", "V"),
    ("nutab", "nutma", "V"),
    ("majas", "maja", "N"),
    ("raudteel", "raud_tee", "N"),
    ("kallas", "kallas", "N"),
]


def test_what_was_seen_is_lemmatized_as_it_was() -> None:
    model = JointNgrams(WORDS)
    found = model.lemmas([(form, label) for form, _, label in WORDS], 1)
    assert [lemmas[0][0] for lemmas in found] == [lemma for _, lemma, _ in WORDS]


def test_edits_are_composed_anew() -> None:
    ((best, *_),) = JointNgrams(WORDS).lemmas([("raudnutab", "V")], 3)
    assert best[0] in ("raudnutma", "raud_nutma")
    # Characters that were never seen are copied.
    ((best, *_),) = JointNgrams(WORDS).lemmas([("жќтab", "V")], 3)
    assert best[0] == "жќтma"


def test_labels_that_are_not_known_have_no_lemmas() -> None:
    first, other = JointNgrams(WORDS).lemmas([("laulab", "ADJ"), ("laulab", "V")], 2)
    assert first == []
    assert other
    assert JointNgrams(WORDS).lemmas([], 2) == []


def test_capitals_stay_and_count_as_their_lower_case() -> None:
    model = JointNgrams(WORDS)
    (lower,), (upper,) = model.lemmas([("laulab", "V"), ("LAULab", "V")], 1)
    assert upper == ("LAULma", pytest.approx(lower[1]))
    # The lower case of one of them is two characters.
    (strange,) = model.lemmas([("İlab", "V")], 1)
    assert strange[0][0] == "İlma"


@given(
    st.lists(
        st.tuples(
            st.text("ab", min_size=1, max_size=3),
            st.text("ab", min_size=1, max_size=3),
            st.sampled_from("XY"),
        ),
        min_size=1,
        max_size=6,
    ),
    st.text("abc", min_size=1, max_size=3),
)
@settings(max_examples=60, deadline=None)
def test_lemmas_are_the_best_of_all(words, form) -> None:
    label = words[0][2]
    # All that a search without a beam could write, each by every sequence of edits that n-grams know of.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joint_beam, "BEAM_SIZE", 10_000)
        patch.setattr(joint_beam, "BEAM_WIDTH", math.inf)
        model = JointNgrams(words, order=3)
        insertions = set(model._insertions.texts)
        (found,) = model.lemmas([(form, label)], 10_000)
    assert math.fsum(math.exp(of) for _, of in found) == pytest.approx(1.0)
    expected = _by_enumeration(model, form, label, insertions)
    total = math.fsum(expected.values())
    assert {lemma: math.exp(of) for lemma, of in found} == pytest.approx(
        {lemma: of / total for lemma, of in expected.items()}
    )
    assert [of for _, of in found] == sorted((of for _, of in found), reverse=True)


def _by_enumeration(model, form, label, insertions):
    """p(f, ℓ, m) of every lemma that is not empty, by the n-gram model's own probability of each sequence of edits."""
    follows = _bigrams(model)
    probs = {}
    places = [["", *insertions]] * (len(form) + 1)
    for inserted in product(*places):
        for deleted in product([False, True], repeat=len(form)):
            symbols, lemma = [model._symbol(joint_ngrams._LABEL, label)], ""
            for place, text in enumerate(inserted):
                if text:
                    symbols.append(model._symbol(joint_ngrams._INSERT, text))
                    lemma = text + lemma
                if place < len(form):
                    character = form[-1 - place]
                    if deleted[place]:
                        symbols.append(model._symbol(DELETE, character))
                    else:
                        symbols.append(character)
                        lemma = character + lemma
            is_insertion = {model._symbol(joint_ngrams._INSERT, text) for text in insertions}
            allowed = all(pair in follows for pair in pairwise(symbols) if pair[1] in is_insertion)
            known = {model._symbol(DELETE, each) for each in model._deletions}
            allowed &= all(
                model._symbol(DELETE, form[-1 - place]) in known
                for place, is_deleted in enumerate(deleted)
                if is_deleted
            )
            if allowed and lemma:
                (log_prob,) = model._model.log_probs(["".join(symbols)])
                probs[lemma] = probs.get(lemma, 0.0) + math.exp(log_prob)
    return probs


def _bigrams(model):
    names = {number: symbol for symbol, number in model._model._ids.items()}
    first, second = (each.tolist() for each in model._model.bigrams())
    return {(names.get(one), names.get(other)) for one, other in zip(first, second, strict=True)}


@given(st.text("abA_", max_size=5), st.text("abA_", max_size=5))
def test_edits_are_those_of_the_cheapest_derivation(form, lemma) -> None:
    edits = list(joint_ngrams._edits(form, lemma))
    assert apply_actions(edit_actions(form, lemma), form) == lemma
    assert next(derivations(form, lemma), None) is not None
    # Read from right to left they write the lemma.
    written = "".join(text for kind, text in reversed(edits) if kind != DELETE)
    assert written == lemma
    consumed = "".join(text for kind, text in reversed(edits) if kind != joint_ngrams._INSERT)
    assert consumed == form


def test_the_best_near_ones_are_kept() -> None:
    model = JointNgrams(WORDS)
    (many,) = model.lemmas([("laulas", "N")], 10)
    assert len(many) > 2
    (two,) = model.lemmas([("laulas", "N")], 2)
    assert [lemma for lemma, _ in two] == [lemma for lemma, _ in many[:2]]
    (near,) = model.lemmas([("laulas", "N")], 10, within=1.0)
    assert [lemma for lemma, _ in near] == [lemma for lemma, of in many if of >= many[0][1] - 1.0]
    assert math.fsum(math.exp(of) for _, of in near) == pytest.approx(1.0)


def test_the_last_edits_are_told_from_left_to_right() -> None:
    model = JointNgrams(WORDS)
    edits = model.edits("nutab", "nutma", 4)
    assert len(edits) == 4
    assert edits == model.edits("laultab", "laultma", 4)
    assert model.edits("nutab", "nutma", 9).endswith(edits)
    assert model.edits("nutab", "nutma", 9).startswith("nut")


@pytest.mark.parametrize(
    ("words", "order", "message"), [([], 6, "needs words"), (WORDS, 1, "takes 2 at least")]
)
def test_words_and_longer_n_grams_are_needed(words, order, message) -> None:
    with pytest.raises(ValueError, match=message):
        JointNgrams(words, order)


@given(st.text("abN", max_size=6), st.text("abN", max_size=6), st.integers(1, 7))
def test_the_last_edits_are_those_of_the_whole_word(form, lemma, at_most) -> None:
    model = JointNgrams([("aab", "aba", "X"), ("ba", "b", "X")])
    whole = [model._symbol(*edit) for edit in joint_ngrams._edits(form, lemma)]
    assert model.edits(form, lemma, at_most) == "".join(whole[:at_most])[::-1]
