import random
from collections import Counter
from itertools import takewhile
from typing import List, Tuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allennlp_svae.data.augmentation import (
    COPY_TAG,
    Stems,
    analogies,
    citations,
    copies,
    cut,
    hallucinated,
    vowels,
    without_features,
)
from allennlp_svae.data.casing import Casing, apply_casing, likely_reading
from allennlp_svae.data.edit_actions import COPY, edit_actions
from allennlp_svae.data.sentence import Triple
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.treebank import read_sentences
from tests.data.locations import TREEBANKS, needs_treebanks

# fmt: off
TURKISH = [
    "ev", "evler", "araba", "arabalar", "kitap", "kitabı", "güneş", "güneşler", "göz", "gözler",
    "okul", "okullar", "deniz", "denizler", "yıldız", "yıldızlar", "kalem", "kalemler", "dev",
    "sevgi", "kavga", "evren", "devlet", "kol", "yol", "olay",
]
# fmt: on


def inflection(lemma: str, form: str, tag: str) -> Triple:
    return Triple(form, lemma, MorphTag.parse(tag))


# Stems, endings and capitals that make the same tails, clashes and unusable stems likely.
SYLLABLES = st.sampled_from(["ta", "te", "pak", "ek", "a", "t", "ips", "İ", "S", "ş"])
ENDINGS = st.sampled_from(["", "ta", "m", "ek"])


@st.composite
def inflections(draw: st.DrawFn) -> Triple:
    stem = "".join(draw(st.lists(SYLLABLES, min_size=1, max_size=4)))
    casing = draw(st.sampled_from(Casing))
    form = apply_casing(casing, stem + draw(ENDINGS), dotted=True)
    return inflection(stem + draw(ENDINGS), form, draw(st.sampled_from(["N;SG", "N;PL", "V"])))


LABELED = st.lists(inflections(), min_size=1, max_size=12, unique=True)


def words_of(triples: List[Triple]) -> List[str]:
    return [word for triple in triples for word in (triple.form, triple.lemma)]


def analysed(triple: Triple, dotted: bool) -> Tuple[str, Tuple[str, ...], str, Casing]:
    """Stem, the edit actions after it, what they read of the lemma, and the casing."""
    casing, base = likely_reading(triple.form, triple.lemma, dotted)
    actions = edit_actions(triple.lemma, base)
    length = len(list(takewhile(COPY.__eq__, actions)))
    return triple.lemma[:length], actions[length:], triple.lemma[length:], casing


def same_environment(one: str, other: str, found: frozenset[str]) -> bool:
    def vowels_of(stem: str) -> List[str]:
        return [c for c in stem if not found.isdisjoint(c.lower())]

    def last_vowel(stem: str) -> str:
        return "".join(vowels_of(stem)[-1:])

    def syllables(stem: str) -> int:
        return min(2, len(vowels_of(stem)))

    return (
        one[-2:] == other[-2:]
        and last_vowel(one) == last_vowel(other) != ""
        and one[0].isupper() == other[0].isupper()
        # Where the tail has one vowel, as it mostly has, a stem of one syllable remains one.
        and (syllables(one) == syllables(other) or syllables(one[-3:]) == 2)
    )


@given(LABELED, st.integers(0, 10), st.booleans())
def test_hallucinated_pairs_do_what_a_labelled_pair_does_in_its_environment(
    triples: List[Triple], seed: int, dotted: bool
) -> None:
    words = words_of(triples)
    found = vowels(word for word in words if word.isalpha())
    made = hallucinated(triples, Stems(words), 20, random.Random(seed), dotted)
    assert len(made) <= 20
    for pair in made:
        stem, actions, read, casing = analysed(pair, dotted)
        assert any(
            source.tag == pair.tag
            and (actions, read, casing) == analysed(source, dotted)[1:]
            and same_environment(stem, analysed(source, dotted)[0], found)
            for source in triples
        )
        # The beginning was seen before the tail, in one word: no other letters, no other junction.
        assert any(word.startswith(stem) for word in words)
        assert (pair.lemma, pair.tag) not in {(triple.lemma, triple.tag) for triple in triples}


def test_hallucination_finds_something() -> None:
    triples = [inflection("ev", "evler", "N;PL"), inflection("deniz", "Denizi", "N;ACC")]
    made = hallucinated(triples, Stems([*TURKISH, "temiz"]), 200, random.Random(1))
    assert set(made) == {
        inflection("sev", "sevler", "N;PL"),
        inflection("dev", "devler", "N;PL"),
        inflection("temiz", "Temizi", "N;ACC"),
    }
    assert hallucinated([], Stems(TURKISH), 5, random.Random(1)) == []


@given(LABELED, st.randoms(use_true_random=False))
def test_what_is_drawn_depends_on_the_seed_alone(
    triples: List[Triple], shuffler: random.Random
) -> None:
    words = words_of(triples)
    first = hallucinated(triples, Stems(words), 9, random.Random(3))
    shuffler.shuffle(words)
    assert hallucinated(triples, Stems(words), 9, random.Random(3)) == first


def test_vowels_are_told_from_consonants() -> None:
    assert vowels(TURKISH) == frozenset("aeıioöuü")
    assert vowels([]) == frozenset()


class TestStems:
    def test_a_syllable_more_is_another_environment(self) -> None:
        stems = Stems(TURKISH)
        # Of the words with `ol`, `kol`, `yol` and `ol` have one syllable up to there.
        assert stems.in_place_of("kol") == ["ol", "yol"]
        assert stems.in_place_of("akol") == []

    def test_the_last_vowel_stays(self) -> None:
        stems = Stems([*TURKISH, "türk", "kürk", "park"])
        assert stems.in_place_of("kürk") == ["türk"]
        assert stems.tails("kürk") == ["ürk"]

    def test_backs_off_to_two_characters(self) -> None:
        assert Stems(["kavem", "salem", "atem"]).tails("kalem") == ["lem", "em"]
        assert Stems(["kavem", "salem", "atem"]).in_place_of("kalem") == ["salem"]
        assert Stems(["kavem", "satem"]).in_place_of("kalem") == ["kavem", "satem"]

    @pytest.mark.parametrize("stem", ["", "k", "e", "prk", "ko-ol", "19"])
    def test_what_has_no_tail_has_no_alternative(self, stem: str) -> None:
        assert Stems([*TURKISH, "prk"]).in_place_of(stem) == []


def test_a_capitalized_form_is_cut_as_its_lemma_is() -> None:
    assert cut(inflection("ev", "Evler", "N;PL")) == ("ev", "", "ler", Casing.CAPITALIZED)
    assert cut(inflection("kitap", "kitabı", "N;ACC")) == ("kita", "p", "bı", Casing.AS_WRITTEN)


class TestAnalogies:
    PAIRS = [
        inflection("kalem", "Kalemler", "N;PL"),
        inflection("yalem", "yalemi", "N;ACC"),
        inflection("araba", "arabalar", "N;PL"),
    ]

    def test_a_lemma_with_the_same_ending_does_the_same(self) -> None:
        assert analogies(self.PAIRS, Stems(words_of(self.PAIRS))) == [
            inflection("yalem", "yalemler", "N;PL"),
            inflection("kalem", "kalemi", "N;ACC"),
        ]

    def test_none_where_labelled_forms_disagree(self) -> None:
        disagreeing = [*self.PAIRS, inflection("dalem", "dalemlar", "N;PL")]
        made = analogies(disagreeing, Stems(words_of(disagreeing)))
        assert {(pair.lemma, str(pair.tag)) for pair in made} == {
            ("kalem", "N;ACC"),
            ("dalem", "N;ACC"),
        }

    def test_none_for_another_part_of_speech(self) -> None:
        verb = [*self.PAIRS[:1], inflection("yalem", "yalemdi", "V;PST")]
        assert analogies(verb, Stems(words_of(verb))) == []

    @given(LABELED, st.booleans())
    def test_each_is_what_some_labelled_pair_does(
        self, triples: List[Triple], dotted: bool
    ) -> None:
        words = words_of(triples)
        found = vowels(word for word in words if word.isalpha())
        labeled = {(triple.lemma, triple.tag) for triple in triples}
        made = analogies(triples, Stems(words), dotted)
        assert len({(pair.lemma, pair.tag) for pair in made}) == len(made)
        for pair in made:
            assert (pair.lemma, pair.tag) not in labeled
            assert (pair.lemma, pair.tag.pos) in {(lemma, tag.pos) for lemma, tag in labeled}
            actions = edit_actions(pair.lemma, pair.form)
            length = len(list(takewhile(COPY.__eq__, actions)))
            assert any(
                source.tag == pair.tag
                and (actions[length:], pair.lemma[length:]) == analysed(source, dotted)[1:3]
                and same_environment(pair.lemma[:length], analysed(source, dotted)[0], found)
                for source in triples
            )

    @needs_treebanks
    @pytest.mark.parametrize("language", ["tr", "la", "lv"])
    def test_most_are_right(self, language: str) -> None:
        def triples(labeled_tokens: int) -> List[Triple]:
            path = str(TREEBANKS / language / "train") + "#labeled"
            sentences = read_sentences(path, "paper", labeled_tokens)
            return list(
                dict.fromkeys(
                    Triple(token.form, token.lemma, token.tag)
                    for sentence in sentences
                    for token in sentence.tokens
                    if token.lemma and token.tag
                )
            )

        labeled = triples(1000)
        attested = {
            (triple.lemma, triple.tag): likely_reading(triple.form, triple.lemma).base
            for triple in triples(20_000)
        }
        right = Counter(
            pair.form == attested[pair.lemma, pair.tag]
            for pair in analogies(labeled, Stems(words_of(labeled)))
            if (pair.lemma, pair.tag) in attested
        )
        assert right[True] >= 20
        assert right[True] > 4 * right[False]


def test_citations_are_of_tags_whose_every_form_is_the_lemma() -> None:
    labeled = [
        inflection("ev", "Ev", "N;NOM"),
        inflection("kol", "kol", "N;NOM"),
        inflection("kol", "kolu", "N;ACC"),
        inflection("yol", "yolu", "N;ACC"),
        inflection("yol", "yol", "N;VOC"),  # of one lemma only
        inflection("gel", "gel", "V;IMP"),
        inflection("et", "ed", "V;IMP"),
    ]
    assert citations(labeled) == [inflection("yol", "yol", "N;NOM")]


def test_copies_are_drawn_from_the_words() -> None:
    made = copies(["a", "b"], 50, random.Random(1))
    assert len(made) == 50
    assert set(made) == {Triple("a", "a", COPY_TAG), Triple("b", "b", COPY_TAG)}
    assert copies([], 3, random.Random(1)) == []


class TestWithoutFeatures:
    TAG = MorphTag.of("N", ["ACC", "FEM", "SG"])

    def test_each_feature_is_left_out_as_often_and_on_its_own(self) -> None:
        rng = random.Random(1)
        tags = Counter(without_features(self.TAG, 0.25, rng) for _ in range(4000))
        assert {tag.pos for tag in tags} == {"N"}
        assert len(tags) == 8
        for feature in self.TAG.features:
            kept = sum(count for tag, count in tags.items() if feature in tag.features)
            assert kept / 4000 == pytest.approx(0.75, abs=0.03)
        assert tags[self.TAG] / 4000 == pytest.approx(0.75**3, abs=0.03)

    def test_nothing_is_left_out_with_probability_zero(self) -> None:
        assert without_features(self.TAG, 0.0, random.Random(1)) == self.TAG
