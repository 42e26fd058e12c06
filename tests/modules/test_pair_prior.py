"""The prior of lemmas and tags, against its formula."""

import math
from typing import List

import pytest
from allennlp.data import Vocabulary

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.word_model import WordModel
from allennlp_svae.dataset_readers.tagged_sentences import TaggedSentencesReader, known_pairs
from allennlp_svae.modules.pair_prior import Pair, PairPrior
from tests.models.test_crf_tagger_lemmatizer import sentence

ANNOTATED = [
    "raudteel/raud_tee/NOUN;Case=Ade teed/tee/NOUN;Case=Par",
    "laulab/laulma/VERB;Person=3 raud/raud/NOUN;Case=Nom ,/,/PUNCT x// y/y/",
]


@pytest.fixture
def vocab() -> Vocabulary:
    reader = TaggedSentencesReader(tagset="ud")
    instances = [reader.text_to_instance(sentence(each)) for each in ANNOTATED]
    return Vocabulary.from_instances(instances)


def pair(lemma: str, tag: str) -> Pair:
    return lemma, MorphTag.parse(tag)


def only(vocab: Vocabulary, **weights: float) -> PairPrior:
    """With no other weights."""
    names = ("looks_like_word", "is_known", "goes_with_pos", "goes_with_tag")
    return PairPrior(vocab, **{**dict.fromkeys(names, 0.0), **weights})


def test_pairs_are_counted_where_lemma_and_tag_are_annotated(vocab: Vocabulary) -> None:
    assert set(known_pairs(vocab)) == {
        pair("raud_tee", "NOUN;Case=Ade"),
        pair("tee", "NOUN;Case=Par"),
        pair("laulma", "VERB;Person=3"),
        pair("raud", "NOUN;Case=Nom"),
        pair(",", "PUNCT"),
    }


def test_a_lemma_is_known_with_its_part_of_speech(vocab: Vocabulary) -> None:
    asked = [
        pair("tee", "NOUN;Case=Nom"),
        pair("tee", "VERB"),
        pair("teema", "NOUN"),
        pair("Tee", "NOUN"),
    ]
    assert only(vocab, is_known=2.0)(asked) == [2.0, 0.0, 0.0, 0.0]


def test_lemmas_look_like_words_part_by_part(vocab: Vocabulary) -> None:
    words = ["raudteel", "teed", "laulab", "raud", ",", "x", "y", "tee", "laulma"]
    model = WordModel(words)
    asked = ["teeraud", "tee_raud", "raud-tee1", "☃", "Ж", "tee"]
    parts = [["teeraud"], ["tee", "raud"], ["raud", "tee"], ["☃"], ["ж"], ["tee"]]
    expected = [sum(model.log_probs(each)) / (sum(map(len, each)) + len(each)) for each in parts]
    found = only(vocab, looks_like_word=1.5)([pair(lemma, "NOUN") for lemma in asked])
    assert found == pytest.approx([1.5 * each for each in expected])
    # A boundary that is none between words looks less like it than one that is.
    one, other = only(vocab, looks_like_word=1.0)([pair("te_eraud", "X"), pair("tee_raud", "X")])
    assert one < other


def test_tags_go_with_endings_of_lemmas(vocab: Vocabulary) -> None:
    asked = [pair("nutma", "VERB;Person=3"), pair("nutma", "NOUN;Case=Nom")]
    verb, noun = only(vocab, goes_with_pos=1.0)(asked)
    assert noun < verb < 0.0
    verb, noun = only(vocab, goes_with_tag=1.0)(asked)
    assert 0.0 < verb < noun
    # What is not known has some probability all the same.
    assert math.isfinite(only(vocab, goes_with_tag=1.0)([pair("nutma", "ADJ;Case=Ill")])[0])


def test_terms_add_up(vocab: Vocabulary) -> None:
    asked = [pair("tee", "NOUN;Case=Par"), pair("laul_tee", "VERB"), pair("raud", "ADJ")]
    weights = {"looks_like_word": 0.7, "is_known": 1.1, "goes_with_pos": 0.4, "goes_with_tag": 0.3}
    terms: List[List[float]] = [only(vocab, **{name: of})(asked) for name, of in weights.items()]
    expected = [sum(of_pair) for of_pair in zip(*terms, strict=True)]
    assert PairPrior(vocab, **weights)(asked) == pytest.approx(expected)


def test_where_nothing_is_known_all_pairs_are_alike() -> None:
    assert PairPrior(Vocabulary())([pair("tee", "NOUN"), pair("", "VERB")]) == [0.0, 0.0]
    assert PairPrior(Vocabulary())([]) == []
