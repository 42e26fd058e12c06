"""What holds of every inflector that is a network, each untrained and of few parameters."""

import math
from typing import Any, Callable, Dict, Tuple

import pytest
import torch

from allennlp_svae.models.inflection_model import InflectionModel
from tests.inflection_toy import (
    INFLECTIONS,
    instances_of,
    tensors_of,
    toy_inflector,
    toy_pointer_generator,
    toy_transducer,
)

Make = Callable[..., Any]
MAKERS: Dict[str, Make] = {
    "inflector": toy_inflector,
    "pointer_generator": toy_pointer_generator,
    "edit_transducer": toy_transducer,
}
# Those that see a tag as a set and copy characters that they have never seen.
WITH_COPYING = ["pointer_generator", "edit_transducer"]


@pytest.fixture(params=MAKERS)
def make(request: pytest.FixtureRequest) -> Make:
    return MAKERS[request.param]


@pytest.fixture
def model(make: Make) -> InflectionModel:
    return make(INFLECTIONS)


def test_batch_composition_does_not_change_scores(model: InflectionModel) -> None:
    instances = instances_of(
        [*INFLECTIONS, ("жщ", "жщto", "N;NOM;PL"), ("k" * 60, "k" * 60, "N;NOM;SG")]
    )
    together = model.log_prob(instances)
    alone = [model.log_prob([instance])[0] for instance in instances]
    assert together == pytest.approx(alone, abs=1e-5, rel=1e-5)
    assert together[: len(INFLECTIONS)] == pytest.approx(alone[: len(INFLECTIONS)], abs=1e-5)
    best_alone = [model.inflect([instance])[0][0][0] for instance in instances]
    assert [found[0][0] for found in model.inflect(instances)] == best_alone


def test_tag_and_lemma_both_matter(model: InflectionModel) -> None:
    conditions = [("ko", "N;ACC;SG"), ("ko", "N;NOM;PL"), ("sali", "N;ACC;SG")]
    scores = model.log_prob(instances_of([(lemma, "kon", tag) for lemma, tag in conditions]))
    assert len({round(score, 3) for score in scores}) == 3


@pytest.mark.parametrize("name", WITH_COPYING)
def test_order_of_the_tags_parts_does_not_matter(name: str) -> None:
    model = MAKERS[name](INFLECTIONS)
    instances = instances_of([("ko", "kon", "N;ACC;SG")] * 2)
    instances[1]["tag"].tokens.reverse()
    first, second = (model.log_prob([instance]) for instance in instances)
    assert first == pytest.approx(second, abs=1e-5)


@pytest.mark.parametrize("name", WITH_COPYING)
def test_unknown_parts_of_the_tag_are_ignored(name: str) -> None:
    model = MAKERS[name](INFLECTIONS)
    tags = ["N;ACC;SG", "N;ACC;SG;NEVER;SEEN"]
    known, unknown = model.log_prob(instances_of([("ko", "kon", tag) for tag in tags]))
    assert known == pytest.approx(unknown, abs=1e-5)


@pytest.mark.parametrize("name", WITH_COPYING)
def test_characters_never_seen_can_be_written_where_the_lemma_has_them(name: str) -> None:
    model = MAKERS[name](INFLECTIONS)
    own, anothers = model.log_prob(
        instances_of([("жщ", "жщto", "N;NOM;PL"), ("ko", "жщto", "N;NOM;PL")])
    )
    assert math.isfinite(own)
    assert anothers == -math.inf


def test_instances_with_and_without_form_mix(model: InflectionModel) -> None:
    assert len(model.inflect(instances_of([("ko", "kon", "N"), ("sali", None, "N")]))) == 2


def test_beam_size_can_be_set_and_is_that_of_the_metrics(make: Make) -> None:
    model = make(INFLECTIONS, beam_size=1)
    instances = instances_of(INFLECTIONS)
    greedy = [found[0][1] for found in model.inflect(instances)]
    model.beam_size = 6
    assert model.beam_size == model.metric_beam_size == 6
    wide = [found[0][1] for found in model.inflect(instances)]
    assert sum(wide) > sum(greedy)
    model.metric_beam_size = 2
    assert (model.beam_size, model.metric_beam_size) == (6, 2)


def test_of_nothing_comes_nothing(model: InflectionModel) -> None:
    assert model.inflect([]) == model.sample([]) == model.log_prob([]) == []


def test_cold_samples_are_all_one(model: InflectionModel) -> None:
    instances = instances_of([("ko", None, "N;SG")] * 20)
    assert len(set(model.sample(instances, temperature=1e-4))) == 1


def test_weights_scale_the_loss(model: InflectionModel) -> None:
    tensors = tensors_of(model, instances_of(INFLECTIONS))
    doubled = {**tensors, "weight": 2 * tensors["weight"]}
    assert model(**doubled)["loss"].item() == pytest.approx(2 * model(**tensors)["loss"].item())


@pytest.mark.parametrize("form", ["koç", "ko" + "to" * 9])
def test_form_that_cannot_be_written_leaves_the_loss_finite(
    model: InflectionModel, form: str
) -> None:
    output = model.train()(**tensors_of(model, instances_of([("ko", form, "N;NOM;PL")])))
    output["loss"].backward()
    assert torch.isfinite(output["loss"])
    assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)


def test_training_does_not_decode(model: InflectionModel) -> None:
    assert "forms" not in model.train()(**tensors_of(model, instances_of(INFLECTIONS)))
    assert model.get_metrics() == {}


ODD_LEMMAS = ["", "k", "ç", "ko" * 30, "жщ", "k o", "ko\u0301"]


@pytest.mark.parametrize("lemma", [*ODD_LEMMAS, "k" * 60])
def test_any_lemma_is_inflected(model: InflectionModel, lemma: str) -> None:
    instances = instances_of([(lemma, None, "N;NOM;PL"), (lemma, None, "X;NEVER;SEEN")])
    for found in model.inflect(instances, n_best=3):
        assert found
        assert all(math.isfinite(score) for _, score in found)
    assert len(model.sample(instances)) == 2


def found_and_exact(model: InflectionModel, lemma: str) -> Tuple[float, float]:
    """The score of the form that a search finds best, and its log p."""
    ((form, score), *_), *_ = model.inflect(instances_of([(lemma, None, "N;NOM;PL")]), n_best=3)
    (exact,) = model.log_prob(instances_of([(lemma, form, "N;NOM;PL")]))
    return score, exact


@pytest.mark.parametrize("name", ["inflector", "pointer_generator"])
@pytest.mark.parametrize("lemma", [*ODD_LEMMAS, "k" * 60])
def test_scores_of_odd_lemmas_are_log_probs(name: str, lemma: str) -> None:
    score, exact = found_and_exact(MAKERS[name](INFLECTIONS), lemma)
    assert exact == pytest.approx(score, abs=1e-4)


# Without the one whose forms have more derivations than are counted.
@pytest.mark.parametrize("lemma", ODD_LEMMAS)
def test_scores_of_derivations_found_are_parts_of_log_probs(lemma: str) -> None:
    score, exact = found_and_exact(toy_transducer(INFLECTIONS), lemma)
    assert score - 1e-4 <= exact <= 1e-6


def test_dropout_is_off_and_the_mode_restored(make: Make) -> None:
    model = make(INFLECTIONS, dropout=0.5).train()
    instances = instances_of(INFLECTIONS)
    assert model.log_prob(instances) == model.log_prob(instances)
    assert model.training
