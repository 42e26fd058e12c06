"""Lemmas by joint n-grams of the labelled words of a vocabulary."""

from typing import Any, Dict, List, Tuple

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from allennlp_svae.data.ending_model import EndingModel
from allennlp_svae.data.joint_ngrams import JointNgrams
from allennlp_svae.data.lemmatization import CAPITAL_AT_THE_BEGINNING, CAPITAL_WITHIN, Source
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.tagged_sentences import (
    KNOWN_WORDS,
    KnownWord,
    TaggedSentencesReader,
    known_words,
)
from allennlp_svae.modules.joint_lemmatizer import JointLemmatizer, Lemmatized
from tests.models.crf_toy import sentence

ANNOTATED = [
    "Linnas/linn/NOUN;Case=Ine laulab/laulma/VERB Tartus/Tartu/PROPN;Case=Ine",
    "majas/maja/NOUN;Case=Ine nutab/nutma/VERB Narvas/Narva/PROPN;Case=Ine x// y/y/",
]
INE, VERB, NAME = (MorphTag.parse(each) for each in ("NOUN;Case=Ine", "VERB", "PROPN;Case=Ine"))


def vocabulary(annotated: List[str]) -> Vocabulary:
    reader = TaggedSentencesReader(tagset="ud")
    instances = [reader.text_to_instance(sentence(each)) for each in annotated]
    return Vocabulary.from_instances(instances)


@pytest.fixture
def vocab() -> Vocabulary:
    return vocabulary(ANNOTATED)


def test_words_are_counted_where_lemma_and_tag_are_annotated(vocab: Vocabulary) -> None:
    assert set(known_words(vocab)) == {
        KnownWord("Linnas", CAPITAL_AT_THE_BEGINNING, "linn", INE),
        KnownWord("laulab", "", "laulma", VERB),
        KnownWord("Tartus", CAPITAL_WITHIN, "Tartu", NAME),
        KnownWord("majas", "", "maja", INE),
        KnownWord("nutab", "", "nutma", VERB),
        KnownWord("Narvas", CAPITAL_WITHIN, "Narva", NAME),
    }


def test_a_vocabulary_of_lemmas_and_tags_alone_is_refused(vocab: Vocabulary) -> None:
    vocab.add_token_to_namespace("maja\tNOUN", KNOWN_WORDS)
    with pytest.raises(ConfigurationError, match="train the model again"):
        known_words(vocab)


def test_lemmas_are_those_of_the_n_grams(vocab: Vocabulary) -> None:
    known = [
        ("linnas", "linn", str(INE)),
        ("laulab", "laulma", str(VERB)),
        ("tartus", "tartu", str(NAME)),
        ("majas", "maja", str(INE)),
        ("nutab", "nutma", str(VERB)),
        ("narvas", "narva", str(NAME)),
    ]
    (expected,) = JointNgrams(known).lemmas([("pargas", str(INE))], 3, within=5.0)
    asked = [(Source("pargas", ""), INE)]
    (found,) = JointLemmatizer(vocab, num_lemmas=3, within=5.0).lemmas(asked)
    assert found == expected
    assert len(found) > 1
    assert JointLemmatizer(vocab, num_lemmas=1).lemmas(asked) == [[(expected[0][0], 0.0)]]
    assert JointLemmatizer(vocab, within=0.0).lemmas(asked) == [[(expected[0][0], 0.0)]]


def test_of_labelled_words_the_lemma_is_known(vocab: Vocabulary) -> None:
    asked = [
        (Source("majas", ""), MorphTag.parse("NOUN;Case=Gen")),
        (Source("linnas", CAPITAL_WITHIN), INE),
        (Source("majas", ""), VERB),
        (Source("ojas", ""), MorphTag.parse("NOUN;Case=Ill")),
        (Source("ojas", ""), INE),
        (Source("ojas", ""), INE),
    ]
    of_known, of_capital, of_verb, of_strange, *others = JointLemmatizer(vocab).lemmas(asked)
    assert of_known == of_capital == of_strange == []
    assert of_verb
    assert others[0] == others[1] != []


@pytest.mark.parametrize(
    ("source", "tag", "expected"),
    [
        (Source("valgas", CAPITAL_WITHIN), NAME, "Valga"),
        (Source("valgas", ""), NAME, "valga"),
        # Nothing is known of nouns within: it is the place's capital then.
        (Source("ojas", CAPITAL_WITHIN), INE, "oja"),
        (Source("ojas", CAPITAL_AT_THE_BEGINNING), INE, "oja"),
    ],
)
def test_lemmas_keep_capitals_as_labelled_ones_do(
    vocab: Vocabulary, source: Source, tag: MorphTag, expected: str
) -> None:
    ((best, *_),) = JointLemmatizer(vocab).lemmas([(source, tag)])
    assert best[0] == expected


def test_turkish_capitals() -> None:
    lemmatizer = JointLemmatizer(
        vocabulary(["ev/ev/NOUN İzmir'de/İzmir/PROPN ve/ve/CCONJ Iğdır'da/Iğdır/PROPN"])
    )
    assert lemmatizer.dotted
    name = MorphTag.parse("PROPN")
    asked = [(Source("ırak'da", CAPITAL_WITHIN), name), (Source("içel'de", CAPITAL_WITHIN), name)]
    assert [best[0][:1] for best, *_ in lemmatizer.lemmas(asked)] == ["I", "İ"]
    assert not JointLemmatizer(vocabulary(ANNOTATED)).dotted


def test_tags_are_told_by_the_last_edits(vocab: Vocabulary) -> None:
    lemmatizer = JointLemmatizer(vocab)
    words = [
        Lemmatized(Source("ojas", ""), "oja", INE),
        Lemmatized(Source("ojas", ""), "oja", VERB),
        Lemmatized(Source("valgas", CAPITAL_WITHIN), "Valga", NAME),
        Lemmatized(Source("kaob", ""), "kaoma", INE),
    ]
    labelled = [
        ("linnas", "linn", INE),
        ("laulab", "laulma", VERB),
        ("tartus", "tartu", NAME),
        ("majas", "maja", INE),
        ("nutab", "nutma", VERB),
        ("narvas", "narva", NAME),
    ]
    ngrams = JointNgrams([(*each[:2], str(each[2])) for each in labelled])
    edits = [ngrams.edits(form, lemma, 5) for form, lemma, _ in labelled]
    tags, poses = (
        EndingModel([(edit, name(tag)) for edit, (_, _, tag) in zip(edits, labelled, strict=True)])
        for name in (str, lambda tag: tag.pos)
    )
    asked = [ngrams.edits(each.source.text, each.lemma.lower(), 5) for each in words]
    expected = [
        tags.log_probs([(edit, str(each.tag))])[0] - poses.log_probs([(edit, each.tag.pos)])[0]
        for edit, each in zip(asked, words, strict=True)
    ]
    assert lemmatizer.scores_of_tags(words) == pytest.approx(expected)


def test_where_nothing_is_labelled_there_is_nothing_to_say() -> None:
    lemmatizer = JointLemmatizer(Vocabulary())
    assert lemmatizer.lemmas([(Source("ojas", ""), INE)]) == [[]]
    assert lemmatizer.scores_of_tags([Lemmatized(Source("ojas", ""), "oja", INE)]) == [0.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [({"within": -0.1}, "must not be negative"), ({"num_lemmas": 0}, "needs one at least")],
)
def test_other_numbers_are_refused(
    vocab: Vocabulary, options: Dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        JointLemmatizer(vocab, **options)


def test_company_does_not_matter(vocab: Vocabulary) -> None:
    asked: List[Tuple[Source, MorphTag]] = [
        (Source(form, ""), tag)
        for form in ("ojas", "kaob", "a" * 60, "ж", "-")
        for tag in (INE, VERB)
    ]
    lemmatizer = JointLemmatizer(vocab)
    together = lemmatizer.lemmas(asked)
    for each, found in zip(asked, together, strict=True):
        assert lemmatizer.lemmas([each]) == [[(lemma, pytest.approx(of)) for lemma, of in found]]
