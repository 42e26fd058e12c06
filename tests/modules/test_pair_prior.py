"""What speaks for pairs of lemma and tag, against its formula."""

import math
from typing import List

import pytest
from allennlp.data import Vocabulary

from allennlp_svae.data.ending_model import EndingModel
from allennlp_svae.data.lemmatization import Source
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.word_model import WordModel
from allennlp_svae.dataset_readers.tagged_sentences import TaggedSentencesReader
from allennlp_svae.modules.joint_lemmatizer import JointLemmatizer, Lemmatized
from allennlp_svae.modules.pair_prior import PairPrior
from tests.models.crf_toy import sentence

ANNOTATED = [
    "raudteel/raud_tee/NOUN;Case=Ade teed/tee/NOUN;Case=Par",
    "laulab/laulma/VERB;Person=3 raud/raud/NOUN;Case=Nom ,/,/PUNCT x// y/y/",
]
NAMES = ("looks_like_word", "is_known", "form_tells_tag", "lemma_tells_tag")


@pytest.fixture
def vocab() -> Vocabulary:
    reader = TaggedSentencesReader(tagset="ud")
    instances = [reader.text_to_instance(sentence(each)) for each in ANNOTATED]
    return Vocabulary.from_instances(instances)


def pair(lemma: str, tag: str, form: str = "teedel") -> Lemmatized:
    return Lemmatized(Source(form, ""), lemma, MorphTag.parse(tag))


def only(vocab: Vocabulary, **weights: float) -> PairPrior:
    """With no other weights."""
    return PairPrior(vocab, **{**dict.fromkeys(NAMES, 0.0), **weights})


def test_a_lemma_is_known_with_its_part_of_speech(vocab: Vocabulary) -> None:
    asked = [
        pair("tee", "NOUN;Case=Nom"),
        pair("tee", "VERB"),
        pair("teema", "NOUN"),
        pair("Tee", "NOUN"),
        # Of a compound the last word.
        pair("metsa_tee", "NOUN"),
        pair("metsa_tee", "VERB"),
        pair("tee_mets", "NOUN"),
        pair("metsatee", "NOUN"),
        pair(",", "PUNCT"),
    ]
    assert only(vocab, is_known=2.0)(asked) == [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0]


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


def test_lemmas_tell_of_tags_by_their_ends(vocab: Vocabulary) -> None:
    labelled = [
        ("tee", "NOUN;Case=Ade"),
        ("tee", "NOUN;Case=Par"),
        ("laulma", "VERB;Person=3"),
        ("raud", "NOUN;Case=Nom"),
        (",", "PUNCT"),
    ]
    tags = EndingModel(labelled)
    poses = EndingModel((lemma, tag.partition(";")[0]) for lemma, tag in labelled)
    asked = [("nutma", "VERB;Person=3"), ("nutma", "NOUN;Case=Nom"), ("maa_tee", "NOUN;Case=Par")]
    ends = [("nutma", "VERB;Person=3"), ("nutma", "NOUN;Case=Nom"), ("tee", "NOUN;Case=Par")]
    expected = [
        poses.log_probs([(end, tag.partition(";")[0])])[0] - tags.log_probs([(end, tag)])[0]
        for end, tag in ends
    ]
    found = only(vocab, lemma_tells_tag=1.0)([pair(*each) for each in asked])
    assert found == pytest.approx(expected)
    # What is not known has some probability all the same.
    assert math.isfinite(only(vocab, lemma_tells_tag=1.0)([pair("nutma", "ADJ;Case=Ill")])[0])


def test_forms_tell_of_tags(vocab: Vocabulary) -> None:
    asked = [
        pair("raud_tee", "NOUN;Case=Ade", "raudteel"),
        pair("raud_tee", "NOUN;Case=Par", "raudteel"),
    ]
    found = only(vocab, form_tells_tag=0.5)(asked)
    expected = JointLemmatizer(vocab).scores_of_tags(asked)
    assert found == pytest.approx([0.5 * each for each in expected])
    assert found[1] < found[0]


def test_terms_add_up(vocab: Vocabulary) -> None:
    asked = [pair("tee", "NOUN;Case=Par"), pair("laul_tee", "VERB"), pair("raud", "ADJ")]
    weights = dict(zip(NAMES, (0.7, 1.1, 0.4, 0.3), strict=True))
    terms: List[List[float]] = [only(vocab, **{name: of})(asked) for name, of in weights.items()]
    expected = [sum(of_pair) for of_pair in zip(*terms, strict=True)]
    assert PairPrior(vocab, **weights)(asked) == pytest.approx(expected)


def test_where_nothing_is_known_all_pairs_are_alike() -> None:
    assert PairPrior(Vocabulary())([pair("tee", "NOUN"), pair("", "VERB")]) == [0.0, 0.0]
    assert PairPrior(Vocabulary())([]) == []
