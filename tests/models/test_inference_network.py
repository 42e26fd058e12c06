"""Posteriors and confidences of an inference network: against enumeration, and made right by the data."""

import math
import random
from collections import defaultdict
from typing import Dict, List, Sequence, Tuple

import pytest
from allennlp.data import Instance, Vocabulary

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.models.crf_tagger_lemmatizer import CrfTaggerLemmatizer
from allennlp_svae.models.inference_network import InferenceNetwork
from tests.models.crf_toy import (
    READER,
    WORDS,
    Pairs,
    annotate_with,
    log_probs,
    model,
    sentence,
)

__all__ = ["model"]  # the fixture

NOUN = MorphTag.parse("NOUN")


def test_posteriors_are_sums_of_the_enumeration(model: CrfTaggerLemmatizer) -> None:
    expected = log_probs(model, WORDS)
    annotations = [annotate_with(WORDS, path) for path in expected]
    found = model.posteriors([READER.text_to_instance(WORDS)] * len(annotations), annotations)
    for path, posteriors in zip(expected, found, strict=True):
        for position, posterior in enumerate(posteriors):
            same = (
                math.exp(q) for other, q in expected.items() if other[position] == path[position]
            )
            assert posterior == pytest.approx(sum(same), abs=1e-5)


def test_posteriors_do_not_depend_on_the_company(model: CrfTaggerLemmatizer) -> None:
    texts = ["ev// kitap// geldi//", "geldi//", "kitap// kitap// kitap// kitap// kitap//"]
    instances = [READER.text_to_instance(sentence(text)) for text in texts]
    annotations = model.annotate(instances)
    together = model.posteriors(instances, annotations)
    assert [len(each) for each in together] == [3, 1, 5]
    for instance, annotation, probs in zip(instances, annotations, together, strict=True):
        assert model.posteriors([instance], [annotation])[0] == pytest.approx(probs, abs=1e-5)


def test_what_q_cannot_produce_has_no_posterior(model: CrfTaggerLemmatizer) -> None:
    impossible = sentence("ev/house/ADJ ev/ev/X;Foreign=Yes ev/ev/ADJ")
    instance = READER.text_to_instance(impossible.without_annotation())
    (posteriors,) = model.posteriors([instance], [impossible])
    assert posteriors[:2] == [0.0, 0.0]
    assert posteriors[2] > 0.0
    (confidences,) = model.confidences([instance], [impossible])
    assert confidences[:2] == [0.0, 0.0]
    with pytest.raises(DataError, match="'ev' has no tag"):
        model.posteriors([instance], [sentence("ev/ev/NOUN ev/ev/ ev//")])


def test_missing_lemmas_are_summed_out(model: CrfTaggerLemmatizer) -> None:
    expected = log_probs(model, WORDS)
    sums: Dict[Pairs, float] = defaultdict(float)
    of_words: Dict[Tuple[int, MorphTag], float] = defaultdict(float)
    for path, log_prob in expected.items():
        (first, tag), (_, last) = path
        sums[(first, tag), (None, last)] += math.exp(log_prob)
        of_words[0, tag] += math.exp(log_prob)
        of_words[1, last] += math.exp(log_prob)
    partial = [annotate_with(WORDS, path) for path in sums]
    asked = [READER.text_to_instance(each) for each in partial]
    assert list(map(math.exp, model.log_prob(asked))) == pytest.approx(
        list(sums.values()), abs=1e-5
    )
    bare = [
        Sentence(tuple(Token(*each[:1], None, each.tag) for each in one.tokens)) for one in partial
    ]
    for one, posteriors in zip(bare, model.posteriors(asked, bare), strict=True):
        tags = [(position, token.tag) for position, token in enumerate(one.tokens)]
        assert posteriors == pytest.approx([of_words[each] for each in tags], abs=1e-5)


class Coin(InferenceNetwork):
    """Says that a word is the noun of its own lemma, with the posterior that the word spells."""

    def annotate(self, instances: Sequence[Instance], how: str = "best") -> List[Sentence]:
        forms = (instance["metadata"].metadata.forms for instance in instances)
        return [Sentence(tuple(Token(form, form, NOUN) for form in each)) for each in forms]

    def posteriors(
        self, instances: Sequence[Instance], annotations: Sequence[Sentence]
    ) -> List[List[float]]:
        return [[float(form) for form in each.forms] for each in annotations]


def told(annotation: Sentence, network: InferenceNetwork) -> List[float]:
    instance = READER.text_to_instance(annotation)
    (confidences,) = network.confidences([instance], [annotation])
    return confidences


def test_confidences_are_as_often_right_as_they_say_after_calibration() -> None:
    network, rng = Coin(Vocabulary()), random.Random(1)
    # Surer than right: log-odds three times too great.
    odds = [math.exp(rng.gauss(0.0, 1.0)) for _ in range(6000)]
    forms = [f"{each**3 / (1 + each**3):.8f}" for each in odds]
    gold = [
        Token(form, form if rng.random() < each / (1 + each) else "another", NOUN)
        for form, each in zip(forms, odds, strict=True)
    ]
    # What nobody annotated is no evidence.
    gold += [Token("0.5"), Token("0.5", "0.5"), Token("0.5", None, NOUN)] * 1000
    asked = network.annotate([READER.text_to_instance(sentence("0.2// 0.9//"))])[0]
    assert told(asked, network) == pytest.approx([0.2, 0.9])
    sentences = [Sentence(tuple(gold[start : start + 10])) for start in range(0, len(gold), 10)]
    network.calibrate([READER.text_to_instance(each) for each in sentences])
    right = [
        (0.2 / 0.8) ** (1 / 3) / (1 + (0.2 / 0.8) ** (1 / 3)),
        9 ** (1 / 3) / (1 + 9 ** (1 / 3)),
    ]
    assert told(asked, network) == pytest.approx(right, abs=0.02)
    (confident,) = network.annotate_with_confidences([READER.text_to_instance(asked)])
    assert confident == (asked, told(asked, network))


def test_without_annotated_words_nothing_is_calibrated() -> None:
    network = Coin(Vocabulary())
    network.calibrate([READER.text_to_instance(sentence("0.5// 0.3/0.3/"))])
    assert [value.item() for value in network.calibration.buffers()] == [1.0, 0.0]
