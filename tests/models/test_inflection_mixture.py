import math
from collections import Counter
from pathlib import Path
from typing import Any, Dict, List

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.testing import ModelTestCase
from allennlp.data import Vocabulary
from allennlp.models import Model

from allennlp_svae.models.inflection_mixture import InflectionMixture
from allennlp_svae.modules.form_ranker import FormRanker
from tests.inflection_toy import (
    INFLECTIONS,
    assert_drawn_from,
    config,
    instances_of,
    tensors_of,
    toy_transducer,
    transducer_params,
    write_config,
    write_tsv,
)

TINY = [("ab", "ba", "N;SG"), ("b", "bb", "N;PL")]
FORMS = ["", "a", "b", "ab", "A", "B", "Ab"]


@pytest.fixture
def mixture() -> InflectionMixture:
    """Of two transducers that can only copy and delete, and no others' forms to confuse them with."""
    components = [toy_transducer(TINY, seed=seed, max_insertions=0) for seed in (1, 2)]
    return InflectionMixture(components[0].vocab, components, weights=[3.0, 1.0]).eval()


def params(**options: Any) -> Dict[str, Any]:
    components = [transducer_params(**options), {"type": "affix_rules"}]
    return {"type": "inflection_mixture", "components": components, "weights": [0.8, 0.2]}


class TestMixtureTrains(ModelTestCase):
    def setup_method(self) -> None:
        super().setup_method()
        tsv = write_tsv(Path(self.TEST_DIR) / "toy.tsv")
        contents = config(tsv, params(size=20), epochs=30, lr=0.01)
        self.set_up_model(write_config(Path(self.TEST_DIR) / "config.json", contents), tsv)

    def test_trains_saves_and_loads(self) -> None:
        self.ensure_model_can_train_save_and_load(
            self.param_file,
            metric_to_check="inflection_accuracy",
            metric_terminal_value=1.0,
            gradients_to_ignore={"components.1._anchor"},
        )


def test_it_is_the_weighted_sum_and_sums_to_one(mixture: InflectionMixture) -> None:
    asked = instances_of([("ab", form, "N;SG") for form in FORMS])
    first, second = (list(map(math.exp, one.log_prob(asked))) for one in mixture.components)
    mixed = list(map(math.exp, mixture.log_prob(asked)))
    assert mixed == pytest.approx(
        [0.75 * one + 0.25 * other for one, other in zip(first, second, strict=True)], abs=1e-6
    )
    assert sum(mixed) == pytest.approx(1.0, abs=1e-5)


def test_candidates_are_the_likeliest_of_the_mixture(mixture: InflectionMixture) -> None:
    exact = dict(
        zip(
            FORMS,
            mixture.log_prob(instances_of([("ab", form, "N;SG") for form in FORMS])),
            strict=True,
        )
    )
    (found,) = mixture.inflect(instances_of([("ab", None, "N;SG")]), n_best=3)
    assert [form for form, _ in found] == sorted(exact, key=lambda form: -exact[form])[:3]
    assert [score for _, score in found] == pytest.approx([exact[form] for form, _ in found])


def test_frequencies_of_samples_are_probabilities(mixture: InflectionMixture) -> None:
    draws = 4000
    torch.manual_seed(3)
    counts = Counter(mixture.sample(instances_of([("ab", None, "N;SG")] * draws)))
    scores = mixture.log_prob(instances_of([("ab", form, "N;SG") for form in FORMS]))
    assert_drawn_from(counts, dict(zip(FORMS, map(math.exp, scores), strict=True)))


def test_of_nothing_comes_nothing(mixture: InflectionMixture) -> None:
    assert mixture.inflect([]) == mixture.sample([]) == mixture.log_prob([]) == []


@pytest.mark.parametrize("weights", [[1.0], [1.0, 0.0]])
def test_weights_that_do_not_fit_are_refused(weights: List[float]) -> None:
    vocab = Vocabulary.from_instances(instances_of(INFLECTIONS))
    contents = {**params(), "weights": weights}
    with pytest.raises(ConfigurationError, match="positive, one for each"):
        Model.from_params(vocab=vocab, params=Params(contents))


def test_components_must_be_inflectors() -> None:
    with pytest.raises(ConfigurationError, match="must be inflectors"):
        InflectionMixture(Vocabulary(), [])


def test_weights_that_were_given_cannot_be_set_and_others_are_kept(
    mixture: InflectionMixture,
) -> None:
    with pytest.raises(ConfigurationError, match="are given, so they cannot be fitted"):
        mixture.weights = [0.5, 0.5]
    assert "_weights" not in mixture.state_dict()
    learned, loaded = (
        InflectionMixture(mixture.vocab, list(mixture.components)).eval() for _ in range(2)
    )
    learned.weights = [1.0, 0.0]
    loaded.load_state_dict(learned.state_dict())
    assert loaded.weights == [1.0, 0.0]
    asked = instances_of([("ab", form, "N;SG") for form in FORMS])
    first = next(iter(mixture.components))
    assert loaded.log_prob(asked) == pytest.approx(first.log_prob(asked), abs=1e-6)


def test_ranker_orders_what_the_components_found() -> None:
    components = [toy_transducer(TINY, seed=seed, attested=["abbb"]) for seed in (1, 2)]
    vocab = components[0].vocab
    asked = instances_of([("ab", None, "N;SG")])
    (plain,) = InflectionMixture(vocab, list(components)).eval().inflect(asked, n_best=100)
    ranker = FormRanker(vocab, weight=1000.0)
    (ranked,) = InflectionMixture(vocab, list(components), ranker=ranker).eval().inflect(asked, 100)
    assert dict(ranked) == pytest.approx(dict(plain), abs=1e-5)
    assert [ranked] == ranker([plain])
    assert ranked != plain


def test_the_vote_counts_every_candidate_of_every_component() -> None:
    components = [toy_transducer(TINY, seed=seed, metric_beam_size=5) for seed in (1, 2)]
    mixture = InflectionMixture(components[0].vocab, list(components), weights=[3.0, 1.0]).eval()
    instances = instances_of([("ab", "ba", "N;SG"), ("b", "bb", "N;PL")])
    output = mixture(**tensors_of(mixture, instances))
    assert [one.get_metrics() for one in components] == [{}, {}]
    for row, candidates in enumerate(output["candidates"]):
        expected: Dict[str, float] = {}
        for share, one in zip((0.75, 0.25), components, strict=True):
            for form, score in one(**tensors_of(one, instances))["candidates"][row]:
                expected[form] = expected.get(form, 0.0) + share * math.exp(score)
        best = sorted(expected, key=lambda form: -expected[form])[:5]
        assert [form for form, _ in candidates] == best
        scores = [math.exp(score) for _, score in candidates]
        assert scores == pytest.approx([expected[form] for form in best], rel=1e-4)
    assert mixture.metric_beam_size == 5
    assert "inflection_accuracy_top5" in mixture.get_metrics()
