import itertools
import math
from collections import Counter
from pathlib import Path
from typing import Any, Dict, List

import pytest
import torch
from allennlp.common.testing import ModelTestCase
from allennlp.common.util import START_SYMBOL
from allennlp.data import Instance

from allennlp_svae.dataset_readers.inflections import InflectionsReader
from allennlp_svae.models.inflector import Inflector
from tests.inflection_toy import (
    INFLECTIONS,
    assert_drawn_from,
    config,
    inflector_params,
    instances_of,
    tensors_of,
    toy_inflector,
    write_config,
    write_tsv,
)

TINY = [("ab", "ba", "N;SG"), ("b", "bb", "N;PL")]
LONGEST = 3
TINY_STRINGS = [
    "".join(characters)
    for length in range(LONGEST + 1)
    for characters in itertools.product("ab", repeat=length)
]


@pytest.fixture
def tiny() -> Inflector:
    return toy_inflector(TINY, max_steps=LONGEST + 1)


def prefix_log_prob(model: Inflector, prefix: str) -> float:
    """log p of a form's beginning, for the first tiny inflection, one `_step` after another."""
    tensors = tensors_of(model, instances_of(TINY[:1]))
    total = 0.0
    with torch.no_grad():
        memory, mask = model._encode(tensors["lemma"], tensors["tag"])
        state = model._initial_state(memory, mask)
        for last, following in zip([START_SYMBOL, *prefix], prefix, strict=False):
            symbol = torch.tensor([model.vocab.get_token_index(last, "characters")])
            log_probs, state = model._step(memory, mask, symbol, state)
            total += log_probs[0, model.vocab.get_token_index(following, "characters")].item()
    return total


class TestInflectorTrains(ModelTestCase):
    def setup_method(self) -> None:
        super().setup_method()
        tsv = write_tsv(Path(self.TEST_DIR) / "toy.tsv")
        contents = config(tsv, inflector_params(size=20), epochs=25, lr=0.03)
        self.set_up_model(write_config(Path(self.TEST_DIR) / "config.json", contents), tsv)

    def test_trains_saves_and_loads(self) -> None:
        self.ensure_model_can_train_save_and_load(
            self.param_file, metric_to_check="inflection_accuracy", metric_terminal_value=1.0
        )

    def test_batch_predictions_are_consistent(self) -> None:
        self.ensure_batch_predictions_are_consistent(keys_to_ignore=("candidates",))


class TestDistribution:
    def test_probabilities_and_unfinished_mass_sum_to_one(self, tiny: Inflector) -> None:
        candidates = instances_of([("ab", string, "N;SG") for string in TINY_STRINGS])
        finished = sum(map(math.exp, tiny.log_prob(candidates)))
        unfinished = sum(
            math.exp(prefix_log_prob(tiny, "".join(prefix)))
            for prefix in itertools.product("ab", repeat=LONGEST + 1)
        )
        assert finished + unfinished == pytest.approx(1.0, abs=1e-5)
        assert unfinished > 1e-3

    @pytest.mark.parametrize("form", ["", "b", "ba"])
    def test_log_prob_is_the_chain_of_steps(self, tiny: Inflector, form: str) -> None:
        # What begins with the form either ends there or goes on with one of the two letters.
        going_on = sum(math.exp(prefix_log_prob(tiny, form + letter)) for letter in "ab")
        expected = math.exp(prefix_log_prob(tiny, form)) - going_on
        (log_prob,) = tiny.log_prob(instances_of([("ab", form, "N;SG")]))
        assert math.exp(log_prob) == pytest.approx(expected, abs=1e-6)

    def test_special_symbols_are_never_written(self, tiny: Inflector) -> None:
        (log_prob,) = tiny.log_prob(instances_of([("ab", "bç", "N;SG")]))
        assert log_prob == -math.inf
        samples = tiny.sample(instances_of(TINY[:1]) * 200, temperature=5.0)
        assert set("".join(samples)) == {"a", "b"}


class TestSearch:
    def test_scores_are_log_probs_of_distinct_forms(self, tiny: Inflector) -> None:
        (found,) = tiny.inflect(instances_of(TINY[:1]), n_best=6)
        forms = [form for form, _ in found]
        scores = [score for _, score in found]
        assert len(set(forms)) == len(forms) == 6
        assert scores == sorted(scores, reverse=True)
        # A form of full length was made to end there: its score is that of ending there.
        assert any(len(form) == LONGEST for form in forms)
        exact = tiny.log_prob(instances_of([("ab", form, "N;SG") for form in forms]))
        assert scores == pytest.approx(exact, abs=1e-5)

    @pytest.mark.parametrize("seed", range(5))
    def test_wide_beam_finds_the_best_form(self, seed: int) -> None:
        # Seven strings of up to two characters, and a beam of all six symbols.
        model = toy_inflector(TINY, seed=seed, max_steps=3)
        strings = [string for string in TINY_STRINGS if len(string) <= 2]
        exact = model.log_prob(instances_of([("ab", string, "N;SG") for string in strings]))
        (found,) = model.inflect(instances_of(TINY[:1]), n_best=6)
        assert found[0][0] == max(zip(exact, strings, strict=True))[1]

    def test_n_best_of_one_is_the_first_of_the_beam(self) -> None:
        model = toy_inflector(INFLECTIONS, beam_size=3)
        instances = instances_of(INFLECTIONS)
        best = [found[0] for found in model.inflect(instances, n_best=1)]
        assert best == [found[0] for found in model.inflect(instances, n_best=3)]


class TestSamples:
    @pytest.mark.parametrize("temperature", [1.0, 0.5])
    def test_frequencies_are_probabilities(self, tiny: Inflector, temperature: float) -> None:
        draws = 4000
        torch.manual_seed(3)
        counts = Counter(tiny.sample(instances_of(TINY[:1]) * draws, temperature))
        probs = [cooled_probability(tiny, string, temperature) for string in TINY_STRINGS]
        assert sum(probs) == pytest.approx(1.0, abs=1e-4)
        assert sum(prob * draws >= 5 for prob in probs) >= 4
        assert_drawn_from(counts, dict(zip(TINY_STRINGS, probs, strict=True)))


def cooled_probability(model: Inflector, string: str, temperature: float) -> float:
    """Of drawing a string, each step raised to 1/temperature; one of full length is cut there."""
    probability = 1.0
    for position, following in enumerate([*string, None][:LONGEST]):
        here = math.exp(prefix_log_prob(model, string[:position]))
        ways: Dict[Any, float] = {
            letter: math.exp(prefix_log_prob(model, string[:position] + letter)) / here
            for letter in "ab"
        }
        ways[None] = max(1.0 - sum(ways.values()), 0.0)
        powers = {way: value ** (1.0 / temperature) for way, value in ways.items()}
        probability *= powers[following] / sum(powers.values())
    return probability


class TestObjective:
    def test_gradient_of_weighted_types_is_that_of_tokens(self, tmp_path: Path) -> None:
        tokens = [INFLECTIONS[0]] * 3 + [INFLECTIONS[1]] + [INFLECTIONS[3]] * 2
        path = tmp_path / "tokens.tsv"
        path.write_text("".join("\t".join(row) + "\n" for row in tokens), encoding="utf-8")
        model = toy_inflector(INFLECTIONS, sharpness=1.0).train()
        types = list(InflectionsReader(count_power=1.0).read(str(path)))
        assert len(types) == 3
        of_types = gradient(model, types)
        of_tokens = gradient(model, instances_of(tokens))
        for left, right in zip(of_types, of_tokens, strict=True):
            torch.testing.assert_close(left, right, atol=1e-6, rtol=1e-4)
        unweighted = gradient(model, instances_of(list(dict.fromkeys(tokens))))
        assert any(
            not torch.allclose(left, right, atol=1e-4)
            for left, right in zip(of_tokens, unweighted, strict=True)
        )

    def test_loss_is_the_mean_negative_log_prob(self) -> None:
        model = toy_inflector(INFLECTIONS)
        instances = instances_of(INFLECTIONS)
        loss = model(**tensors_of(model, instances))["loss"].item()
        assert loss == pytest.approx(-sum(model.log_prob(instances)) / len(instances), rel=1e-5)


def gradient(model: Inflector, instances: List[Instance]) -> List[torch.Tensor]:
    model.zero_grad()
    model(**tensors_of(model, instances))["loss"].backward()
    return [p.grad.clone() for p in model.parameters() if p.grad is not None]


class TestOddWords:
    def test_forms_are_cut_at_max_steps(self) -> None:
        model = toy_inflector(INFLECTIONS, max_steps=2)
        instances = instances_of(INFLECTIONS)
        assert all(len(form) <= 1 for found in model.inflect(instances, 3) for form, _ in found)
        assert all(len(form) <= 1 for form in model.sample(instances))

    def test_empty_form_has_a_probability(self) -> None:
        model = toy_inflector(INFLECTIONS)
        assert math.isfinite(model.log_prob(instances_of([("ko", "", "N;SG")]))[0])
