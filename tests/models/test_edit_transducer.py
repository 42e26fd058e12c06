import itertools
import math
from collections import Counter
from pathlib import Path
from typing import Dict, List

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.common.testing import ModelTestCase
from allennlp.data import Vocabulary

from allennlp_svae.data.casing import capitalize
from allennlp_svae.models.edit_transducer import EditTransducer
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
MAX_INSERTIONS = 2


def writable(lemma: str) -> List[str]:
    """All forms of the tiny alphabet that are short enough, in either casing."""
    lower = [
        "".join(characters)
        for length in range(len(lemma) + MAX_INSERTIONS + 1)
        for characters in itertools.product(sorted({*"ab", *lemma}), repeat=length)
    ]
    return list(dict.fromkeys(lower + [capitalize(form) for form in lower]))


@pytest.fixture(params=[1, 2], ids=["one network", "two networks"])
def tiny(request: pytest.FixtureRequest) -> EditTransducer:
    return toy_transducer(TINY, max_insertions=MAX_INSERTIONS, networks=request.param)


def probabilities(model: EditTransducer, lemma: str, tag: str = "N;SG") -> Dict[str, float]:
    forms = writable(lemma)
    scores = model.log_prob(instances_of([(lemma, form, tag) for form in forms]))
    return dict(zip(forms, map(math.exp, scores), strict=True))


class TestTransducerTrains(ModelTestCase):
    def setup_method(self) -> None:
        super().setup_method()
        tsv = write_tsv(Path(self.TEST_DIR) / "toy.tsv")
        contents = config(tsv, transducer_params(size=20), epochs=100, lr=0.01)
        self.set_up_model(write_config(Path(self.TEST_DIR) / "config.json", contents), tsv)

    def test_trains_saves_and_loads(self) -> None:
        self.ensure_model_can_train_save_and_load(
            self.param_file, metric_to_check="inflection_accuracy", metric_terminal_value=1.0
        )

    def test_batch_predictions_are_consistent(self) -> None:
        # Scores, which differ in the last digit, have a test of their own.
        self.ensure_batch_predictions_are_consistent(keys_to_ignore=("candidates", "log_probs"))


class TestDistribution:
    # Unseen characters, repeated ones (many derivations), a capital, nothing at all.
    @pytest.mark.parametrize("lemma", ["ab", "bb", "aba", "Ab", "ç", "aç", ""])
    @pytest.mark.parametrize("tag", ["N;SG", "X;NEVER;SEEN"])
    def test_probabilities_sum_to_one(self, tiny: EditTransducer, lemma: str, tag: str) -> None:
        assert sum(probabilities(tiny, lemma, tag).values()) == pytest.approx(1.0, abs=1e-5)

    def test_what_needs_too_many_insertions_has_no_probability(self, tiny: EditTransducer) -> None:
        assert tiny.log_prob(instances_of([("ab", "bbbab", "N;SG")])) == [-math.inf]

    def test_unseen_characters_are_copied_and_not_inserted(self, tiny: EditTransducer) -> None:
        copied, inserted = tiny.log_prob(instances_of([("çb", "çb", "N;SG"), ("ab", "ça", "N;SG")]))
        assert math.isfinite(copied)
        assert inserted == -math.inf

    @pytest.mark.parametrize(
        ("attested", "capital"),
        [
            (["iş", "ırmak"], "İ"),
            (["iş"], "I"),
            # A name in the raw text, as the capital of which it has the alphabet.
            (["iş", "İzmir", *(f"word{number}" for number in range(98))], "I"),
        ],
    )
    def test_capital_of_i(self, attested: List[str], capital: str) -> None:
        rows = [("iş", "iş", "N;SG"), ("ev", "İ", "N;SG")]
        model = toy_transducer(rows, max_insertions=0, attested=attested)
        forms = ["iş", "i", "ş", "", f"{capital}ş", capital, "Ş"]
        scores = model.log_prob(instances_of([("iş", form, "N;SG") for form in forms]))
        assert all(map(math.isfinite, scores))
        assert sum(map(math.exp, scores)) == pytest.approx(1.0, abs=1e-5)

    def test_without_casing_capitals_are_characters_and_probabilities_sum_to_one(self) -> None:
        model = toy_transducer(TINY, max_insertions=0, casing=False)
        scores = model.log_prob(
            instances_of([("ab", f, "N;SG") for f in ("ab", "a", "b", "", "Ab")])
        )
        assert scores.pop() == -math.inf
        assert sum(map(math.exp, scores)) == pytest.approx(1.0, abs=1e-5)
        assert "Ab" not in model.sample(instances_of([("ab", None, "N;SG")] * 200))


class TestSearch:
    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("lemma", ["ab", "b"])
    def test_wide_beam_finds_the_best_forms(self, seed: int, lemma: str) -> None:
        model = toy_transducer(TINY, seed=seed, max_insertions=MAX_INSERTIONS)
        exact = probabilities(model, lemma)
        best = sorted(exact, key=lambda form: -exact[form])[:2]
        (found,) = model.inflect(instances_of([(lemma, None, "N;SG")]), n_best=8)
        assert [form for form, _ in found[:2]] == best

    def test_wide_beam_of_two_networks_finds_the_best_forms(self) -> None:
        model = toy_transducer(TINY, seed=2, max_insertions=MAX_INSERTIONS, networks=2)
        exact = probabilities(model, "ab")
        best = sorted(exact, key=lambda form: -exact[form])[:2]
        (found,) = model.inflect(instances_of([("ab", None, "N;SG")]), n_best=8)
        assert [form for form, _ in found[:2]] == best

    def test_scores_are_log_probs_of_distinct_forms(self, tiny: EditTransducer) -> None:
        (found,) = tiny.inflect(instances_of(TINY[:1]), n_best=6)
        forms = [form for form, _ in found]
        scores = [score for _, score in found]
        assert len(set(forms)) == len(forms) == 6
        assert scores == sorted(scores, reverse=True)
        exact = tiny.log_prob(instances_of([("ab", form, "N;SG") for form in forms]))
        # What the beam did not find is missing.
        assert all(score <= whole + 1e-5 for score, whole in zip(scores, exact, strict=True))
        assert scores[0] == pytest.approx(exact[0], abs=0.1)

    def test_a_wider_search_leaves_confidences_as_they_are(self, tiny: EditTransducer) -> None:
        tiny.calibration.bias.fill_(1.0)
        found = tiny.inflect(instances_of([("ab", None, "N;SG")]), n_best=8)
        assert tiny.beam_size == 3
        (narrow,) = tiny.confidences([found[0][:3]])
        (wide,) = tiny.confidences(found)
        assert wide[:3] == pytest.approx(narrow)
        assert len(wide) == 8
        assert sum(wide) < 1.0

    def test_ranker_orders_what_the_beam_found_and_leaves_its_scores(self) -> None:
        asked = instances_of([("ab", None, "N;SG")])
        (plain,) = toy_transducer(TINY, max_insertions=MAX_INSERTIONS).inflect(asked, n_best=3)
        liked = plain[1][0]
        for weight, expected in ((0.0, plain[0][0]), (1000.0, liked)):
            model = toy_transducer(
                TINY, max_insertions=MAX_INSERTIONS, ranker={"weight": weight}, attested=[liked]
            )
            (found,) = model.inflect(asked, n_best=3)
            assert found[0][0] == expected
            assert dict(found)[liked] == pytest.approx(plain[1][1], abs=1e-5)


class TestSamples:
    @pytest.mark.parametrize("lemma", ["ab", "çb"])
    def test_frequencies_are_probabilities(self, tiny: EditTransducer, lemma: str) -> None:
        draws = 4000
        torch.manual_seed(3)
        counts = Counter(tiny.sample(instances_of([(lemma, None, "N;SG")]) * draws))
        exact = probabilities(tiny, lemma)
        assert sum(prob * draws >= 5 for prob in exact.values()) >= 4
        assert_drawn_from(counts, exact)


class TestNetworks:
    def test_there_is_one_at_least(self) -> None:
        with pytest.raises(ConfigurationError, match="one at least"):
            EditTransducer(Vocabulary.empty(), [])

    def test_each_action_is_as_probable_as_the_geometric_mean_says(self) -> None:
        model = toy_transducer(TINY, max_insertions=0, networks=2)
        (nothing,) = instances_of([("b", "", "N;SG")])
        deleted = [
            math.exp(alone.log_prob([nothing])[0])  # type: ignore[operator]
            for alone in model.components().values()
        ]
        assert abs(deleted[0] - deleted[1]) > 0.01
        delete, copy = (math.sqrt(p * q) for p, q in (deleted, [1 - each for each in deleted]))
        expected = delete / (delete + copy)
        assert math.exp(model.log_prob([nothing])[0]) == pytest.approx(expected, abs=1e-5)

    def test_equal_ones_are_as_one(self) -> None:
        one = toy_transducer(TINY, max_insertions=MAX_INSERTIONS)
        two = EditTransducer(one.vocab, one.networks * 2, max_insertions=MAX_INSERTIONS).eval()
        asked = instances_of([("ab", form, "N;SG") for form in writable("ab")])
        assert two.log_prob(asked) == pytest.approx(one.log_prob(asked), abs=1e-5)

    def test_a_beam_of_one_asks_the_first_alone(self) -> None:
        model = toy_transducer(INFLECTIONS, beam_size=1, networks=2)
        first, second = model.components().values()
        assert isinstance(first, EditTransducer)
        assert isinstance(second, EditTransducer)
        first.beam_size = second.beam_size = 1
        asked = instances_of([(lemma, None, tag) for lemma, _, tag in INFLECTIONS])
        assert model.inflect(asked) == first.eval().inflect(asked) != second.eval().inflect(asked)
        model.metric_beam_size = 1
        output = model(**tensors_of(model, asked))
        assert output["forms"] == [found[0][0] for found in first.inflect(asked)]

    def test_trained_as_one_model_each_learns_by_itself(self) -> None:
        model = toy_transducer(INFLECTIONS, networks=2).train()
        tensors = tensors_of(model, instances_of(INFLECTIONS))
        model(**tensors)["loss"].backward()
        together = [each.grad for each in model.parameters()]
        model.zero_grad()
        for alone in model.components().values():
            (alone.train()(**tensors)["loss"] / 2).backward()
        for grad, parameter in zip(together, model.parameters(), strict=True):
            torch.testing.assert_close(grad, parameter.grad)


class TestObjective:
    def test_loss_bounds_the_negative_log_prob(self) -> None:
        model = toy_transducer(INFLECTIONS, networks=2)
        for instance in instances_of(INFLECTIONS):
            loss = model(**tensors_of(model, [instance]))["loss"].item()
            assert loss >= -model.log_prob([instance])[0] - 1e-5

    def test_loss_of_a_form_with_one_derivation_is_exact(self) -> None:
        tiny = toy_transducer(TINY, max_insertions=MAX_INSERTIONS)
        (instance,) = instances_of([("Ab", "Ab", "N;SG")])
        loss = tiny(**tensors_of(tiny, [instance]))["loss"].item()
        assert loss == pytest.approx(-tiny.log_prob([instance])[0], abs=1e-5)

    def test_with_fewer_derivations_forms_have_no_more_probability(self) -> None:
        asked = instances_of([("ab", form, "N;SG") for form in writable("ab")])
        numbers = (1, 2, 64)
        scores = [
            toy_transducer(TINY, max_insertions=MAX_INSERTIONS, max_derivations=most).log_prob(
                asked
            )
            for most in numbers
        ]
        for one, two, all_of_them in zip(*scores, strict=True):
            assert one <= two + 1e-5
            assert two <= all_of_them + 1e-5
        # What is copied can be deleted and written anew, too.
        assert sum(map(math.exp, scores[0])) < sum(map(math.exp, scores[2])) - 1e-3

    def test_gradient_by_finite_differences(self) -> None:
        # Lemmas that leave no casing to choose: its gradient stops at the tag's embedding.
        rows = [(lemma.capitalize(), form, tag) for lemma, form, tag in INFLECTIONS]
        model = toy_transducer(rows, sharpness=1.0).double().train()
        tensors = tensors_of(model, instances_of(rows))
        model(**tensors)["loss"].backward()
        for parameter in model.parameters():
            flat = parameter.data.view(-1)
            place = flat.numel() // 2
            before = flat[place].item()
            losses = []
            for shift in (1e-5, -1e-5):
                flat[place] = before + shift
                losses.append(model(**tensors)["loss"].item())
            flat[place] = before
            slope = (losses[0] - losses[1]) / 2e-5
            slope_found = 0.0 if parameter.grad is None else parameter.grad.view(-1)[place].item()
            assert slope_found == pytest.approx(slope, abs=1e-6)
