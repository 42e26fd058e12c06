"""What holds of every network that weighs pairs anew, against its formula, written out over all pairs."""

import math
from collections import Counter, defaultdict
from itertools import product
from typing import Callable, Dict, List

import pytest
import torch

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.models.weighed_pairs import WeighedPairs
from tests.inflection_toy import assert_drawn_from
from tests.models.crf_toy import pairs_of
from tests.models.weighed_toy import (
    INSTANCE,
    READER,
    WEIGHT,
    assert_company_does_not_matter,
    distributions,
    with_inflector,
    with_prior,
)

NETWORKS: List[Callable[[], WeighedPairs]] = [
    lambda: with_inflector(inflector_weight=WEIGHT, num_pairs=1),
    lambda: with_inflector(inflector_weight=WEIGHT, num_pairs=3),
    lambda: with_inflector(inflector_weight=WEIGHT, num_pairs=6),
    lambda: with_inflector(inflector_weight=WEIGHT, num_pairs=100),
    lambda: with_prior(num_pairs=1),
    lambda: with_prior(num_pairs=1, lemmatizer_weight=0.0),
    lambda: with_prior(num_pairs=4, lemmatizer_weight=0.9),
    lambda: with_prior(num_pairs=4),
    lambda: with_prior(num_pairs=100, within=1.0),
    lambda: with_prior(num_pairs=100, within=math.inf),
]


@pytest.fixture(params=NETWORKS)
def model(request: pytest.FixtureRequest) -> WeighedPairs:
    return request.param()  # type: ignore[no-any-return]


def test_the_best_annotation_comes_with_its_confidences(model: WeighedPairs) -> None:
    model.calibration.load_state_dict(
        {name: value + 0.3 for name, value in model.calibration.state_dict().items()}
    )
    ((annotation, confidences),) = model.annotate_with_confidences([INSTANCE])
    assert [annotation] == model.annotate([INSTANCE])
    (expected,) = model.confidences([INSTANCE], [annotation])
    assert confidences == pytest.approx(expected)
    # Without the calibration they would be others, unless a word has a single pair.
    (posteriors,) = model.posteriors([INSTANCE], [annotation])
    is_sure = all(len(pairs) == 1 for pairs in distributions(model))
    assert (confidences == pytest.approx(posteriors)) == is_sure


def test_pairs_have_the_probabilities_of_the_formula(model: WeighedPairs) -> None:
    (found,) = model.analyses([INSTANCE], 100)
    for pairs, expected in zip(found, distributions(model), strict=True):
        assert math.fsum(math.exp(each.log_prob) for each in pairs) == pytest.approx(1.0)
        probs = {each.token: math.exp(each.log_prob) for each in pairs}
        assert probs == pytest.approx(expected, abs=1e-5)
        assert sorted(probs.values(), reverse=True) == list(probs.values())
    (annotated,) = model.annotate([INSTANCE])
    assert annotated.tokens == tuple(pairs[0].token for pairs in found)
    (three,) = model.analyses([INSTANCE], 3)
    assert three == [pairs[:3] for pairs in found]
    (near,) = model._in_batches([INSTANCE], lambda scores: model._analyses(scores, 100, within=0.5))
    assert near == [
        [each for each in pairs if each.log_prob >= pairs[0].log_prob - 0.5] for pairs in found
    ]


def test_words_are_independent(model: WeighedPairs) -> None:
    first, last = distributions(model)
    annotations = [Sentence(pair) for pair in product(first, last)]
    expected = [math.log(first[one]) + math.log(last[other]) for one, other in product(first, last)]
    asked = [READER.text_to_instance(each) for each in annotations]
    assert model.log_prob(asked) == pytest.approx(expected, abs=1e-4)
    for annotation, probs in zip(annotations, model.posteriors(asked, annotations), strict=True):
        one, other = annotation.tokens
        assert probs == pytest.approx([first[one], last[other]], abs=1e-5)
    (found,) = model.k_best([INSTANCE], 4)
    assert [log_prob for _, log_prob in found] == pytest.approx(
        sorted(expected, reverse=True)[:4], abs=1e-4
    )
    by_annotation = dict(zip(annotations, expected, strict=True))
    for annotation, log_prob in found:
        assert by_annotation[annotation] == pytest.approx(log_prob, abs=1e-4)


@pytest.mark.parametrize(
    "made", [lambda: with_inflector(inflector_weight=WEIGHT, num_pairs=4), with_prior]
)
def test_samples_are_drawn_from_it(made: Callable[[], WeighedPairs]) -> None:
    model = made()
    torch.manual_seed(0)
    counts = Counter(
        str(pairs_of(each)) for each in model.annotate([INSTANCE] * 4000, how="sample")
    )
    probabilities = {
        str(pairs_of(Sentence((one, other)))): first * last
        for (one, first), (other, last) in product(*(each.items() for each in distributions(model)))
    }
    assert_drawn_from(counts, probabilities)


def test_missing_lemmas_are_summed_out(model: WeighedPairs) -> None:
    sums: List[Dict[Token, float]] = []
    for of_word in distributions(model):
        of_tags: Dict[Token, float] = defaultdict(float)
        for token, prob in of_word.items():
            of_tags[token._replace(lemma=None)] += prob
        sums.append(of_tags)
    (found,) = model._in_batches([INSTANCE], lambda scores: model._best_tags(scores, 2))
    for best, of_tags in zip(found, sums, strict=True):
        expected = sorted(of_tags.values(), reverse=True)[:2]
        assert [math.exp(each.log_prob) for each in best] == pytest.approx(expected, abs=1e-5)
    first, last = sums
    bare = Sentence((next(iter(first)), next(iter(last))))
    (posteriors,) = model.posteriors([INSTANCE], [bare])
    assert posteriors == pytest.approx([first[bare.tokens[0]], last[bare.tokens[1]]], abs=1e-5)


def test_what_a_word_cannot_be_has_no_probability(model: WeighedPairs) -> None:
    first, last = (next(iter(each)) for each in distributions(model))
    other = Sentence((first, last._replace(lemma="no such lemma")))
    assert model.log_prob([READER.text_to_instance(other)]) == [-math.inf]
    (posteriors,) = model.posteriors([INSTANCE], [other])
    assert posteriors[1] == 0.0 < posteriors[0]
    with pytest.raises(DataError, match="has no tag"):
        model.log_prob([INSTANCE])


@pytest.mark.parametrize("made", [with_inflector, with_prior])
def test_results_do_not_depend_on_the_company(made: Callable[[], WeighedPairs]) -> None:
    assert_company_does_not_matter(made(), READER)
