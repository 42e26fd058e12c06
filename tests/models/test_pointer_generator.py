import itertools
import math
from collections import Counter
from pathlib import Path
from typing import Dict, List, Tuple

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.testing import ModelTestCase
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Vocabulary
from allennlp.models import Model

from allennlp_svae.models.character_inflector import Writer
from allennlp_svae.models.pointer_generator import PointerGenerator
from tests.inflection_toy import (
    INFLECTIONS,
    assert_drawn_from,
    config,
    instances_of,
    pointer_params,
    tensors_of,
    toy_pointer_generator,
    write_config,
    write_tsv,
)

TINY = [("ab", "ba", "N;SG"), ("b", "bb", "N;PL")]
LONGEST = 3
# Seen, repeated, unseen, both, one character, nothing at all.
LEMMAS = ["ab", "aba", "ç", "çaç", "жç", "b", ""]


@pytest.fixture
def tiny() -> PointerGenerator:
    return toy_pointer_generator(TINY, max_steps=LONGEST + 1)


def writer_of(model: PointerGenerator, lemma: str, tag: str) -> Writer:
    tensors = tensors_of(model, instances_of([(lemma, None, tag)]))
    return model._writer(tensors["lemma"], tensors["tag"], tensors["metadata"])


def following(
    model: PointerGenerator, lemma: str, prefix: str, tag: str = "N;SG"
) -> Dict[str, float]:
    """What may come after a form's beginning, with its probability."""
    with torch.no_grad():
        writer = writer_of(model, lemma, tag)
        symbol = model.vocab.get_token_index(START_SYMBOL, "characters")
        state = writer.initial_state
        probs: Dict[str, Tuple[int, float]] = {}
        for character in [*prefix, END_SYMBOL]:
            log_probs, state = writer.step(torch.tensor([symbol]), state)
            possible = [
                (number, math.exp(score))
                for number, score in enumerate(log_probs[0].tolist())
                if score > -math.inf
            ]
            probs = {writer.character(0, number): (number, prob) for number, prob in possible}
            assert len(probs) == len(possible)
            symbol = probs[character][0]
        return {character: prob for character, (_, prob) in probs.items()}


def writable(lemma: str, longest: int = LONGEST) -> List[str]:
    return [
        "".join(characters)
        for length in range(longest + 1)
        for characters in itertools.product(sorted({*"ab", *lemma}), repeat=length)
    ]


class TestPointerGeneratorTrains(ModelTestCase):
    def setup_method(self) -> None:
        super().setup_method()
        tsv = write_tsv(Path(self.TEST_DIR) / "toy.tsv")
        contents = config(tsv, pointer_params(size=20, unseen_rate=0.1), epochs=60, lr=0.03)
        self.set_up_model(write_config(Path(self.TEST_DIR) / "config.json", contents), tsv)

    def test_trains_saves_and_loads(self) -> None:
        self.ensure_model_can_train_save_and_load(
            self.param_file, metric_to_check="inflection_accuracy", metric_terminal_value=1.0
        )

    def test_batch_predictions_are_consistent(self) -> None:
        # Scores, which differ in the last digit, have a test of their own.
        self.ensure_batch_predictions_are_consistent(keys_to_ignore=("candidates", "log_probs"))


class TestDistribution:
    @pytest.mark.parametrize("lemma", LEMMAS)
    @pytest.mark.parametrize("tag", ["N;SG", "X;NEVER;SEEN"])
    def test_probabilities_and_unfinished_mass_sum_to_one(
        self, tiny: PointerGenerator, lemma: str, tag: str
    ) -> None:
        scores = tiny.log_prob(instances_of([(lemma, form, tag) for form in writable(lemma)]))
        # What is longer begins with one of the longest forms and goes on.
        longest = [form for form in writable(lemma) if len(form) == LONGEST]
        going_on = [1.0 / following(tiny, lemma, form, tag)[END_SYMBOL] - 1.0 for form in longest]
        finished = [math.exp(score) for score in scores]
        unfinished = sum(
            prob * ratio for prob, ratio in zip(finished[-len(longest) :], going_on, strict=True)
        )
        assert sum(finished) + unfinished == pytest.approx(1.0, abs=1e-5)
        assert sum(finished) > 0.1

    @pytest.mark.parametrize("lemma", LEMMAS)
    def test_a_step_generates_or_copies(self, tiny: PointerGenerator, lemma: str) -> None:
        vocabulary = ["a", "b", END_SYMBOL]
        tensors = tensors_of(tiny, instances_of([(lemma, None, "N;SG")]))
        with torch.no_grad():
            source, state = tiny._encode(tensors["lemma"], tensors["tag"], tensors["metadata"])
            start = tiny.vocab.get_token_index(START_SYMBOL, "characters")
            states, _ = tiny._decoder.recur(tiny._embed(torch.tensor([[start]]), source.tag), state)
            hidden, attention = tiny._decoder.attend_and_point(states, source.memory, source.places)
            gate = torch.sigmoid(tiny._gate(hidden)).item()
            ids = [tiny.vocab.get_token_index(symbol, "characters") for symbol in vocabulary]
            generated = torch.softmax(tiny._output(hidden)[0, 0, ids], dim=0).tolist()
        expected = Counter({s: gate * p for s, p in zip(vocabulary, generated, strict=True)})
        # Attention is to START, the characters, END.
        places = [START_SYMBOL, *lemma, END_SYMBOL]
        for symbol, weight in zip(places, attention[0, 0].tolist(), strict=True):
            expected[symbol] += (1.0 - gate) * weight
        assert expected.pop(START_SYMBOL) == 0.0
        assert following(tiny, lemma, "") == pytest.approx(dict(expected), abs=1e-6)

    @pytest.mark.parametrize(
        ("lemma", "form"), [("ab", ""), ("ab", "ba"), ("çaç", "çbç"), ("жç", "жçжaç")]
    )
    def test_log_prob_is_the_chain_of_steps(
        self, tiny: PointerGenerator, lemma: str, form: str
    ) -> None:
        expected = sum(
            math.log(following(tiny, lemma, form[:position])[character])
            for position, character in enumerate([*form, END_SYMBOL])
        )
        assert tiny.log_prob(instances_of([(lemma, form, "N;SG")])) == pytest.approx([expected])

    def test_only_the_lemmas_own_unseen_characters_are_written(
        self, tiny: PointerGenerator
    ) -> None:
        copied, foreign, absent = tiny.log_prob(
            instances_of([("çb", "aç", "N;SG"), ("жb", "aç", "N;SG"), ("ab", "aç", "N;SG")])
        )
        assert math.isfinite(copied)
        assert foreign == absent == -math.inf
        samples = tiny.sample(instances_of([("çb", None, "N;SG")] * 200), temperature=5.0)
        assert set("".join(samples)) == {"a", "b", "ç"}


class TestSearch:
    @pytest.mark.parametrize("lemma", ["ab", "çb", "жç"])
    def test_scores_are_log_probs_of_distinct_forms(
        self, tiny: PointerGenerator, lemma: str
    ) -> None:
        (found,) = tiny.inflect(instances_of([(lemma, None, "N;SG")]), n_best=6)
        forms = [form for form, _ in found]
        scores = [score for _, score in found]
        assert len(set(forms)) == len(forms) == 6
        assert scores == sorted(scores, reverse=True)
        exact = tiny.log_prob(instances_of([(lemma, form, "N;SG") for form in forms]))
        assert scores == pytest.approx(exact, abs=1e-5)

    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("lemma", ["ab", "çb"])
    def test_wide_beam_finds_the_best_form(self, seed: int, lemma: str) -> None:
        # Forms of up to two characters, and a beam of all six symbols.
        model = toy_pointer_generator(TINY, seed=seed, max_steps=3)
        strings = writable(lemma, longest=2)
        exact = model.log_prob(instances_of([(lemma, string, "N;SG") for string in strings]))
        (found,) = model.inflect(instances_of([(lemma, None, "N;SG")]), n_best=6)
        assert found[0][0] == max(zip(exact, strings, strict=True))[1]


class TestSamples:
    @pytest.mark.parametrize("lemma", ["ab", "çb"])
    def test_frequencies_are_probabilities(self, tiny: PointerGenerator, lemma: str) -> None:
        draws = 4000
        torch.manual_seed(3)
        counts = Counter(tiny.sample(instances_of([(lemma, None, "N;SG")]) * draws))
        forms = writable(lemma)
        scores = tiny.log_prob(instances_of([(lemma, form, "N;SG") for form in forms]))
        exact = dict(zip(forms, map(math.exp, scores), strict=True))
        # One of full length is cut there, whatever would come next.
        for form in forms:
            if len(form) == LONGEST:
                exact[form] /= following(tiny, lemma, form)[END_SYMBOL]
        assert sum(prob * draws >= 5 for prob in exact.values()) >= 4
        assert_drawn_from(counts, exact)


class TestObjective:
    def test_loss_is_the_mean_negative_log_prob(self) -> None:
        model = toy_pointer_generator(INFLECTIONS)
        instances = instances_of([*INFLECTIONS, ("жщ", "жщto", "N;NOM;PL")])
        loss = model(**tensors_of(model, instances))["loss"].item()
        assert loss == pytest.approx(-sum(model.log_prob(instances)) / len(instances), rel=1e-5)

    def test_gradient_by_finite_differences(self) -> None:
        model = toy_pointer_generator(INFLECTIONS, sharpness=1.0).double().train()
        # Also with characters to copy that the vocabulary lacks, and one that nothing can write.
        rows = [*INFLECTIONS, ("kжщ", "kжщжto", "N;NOM;PL"), ("ko", "koçn", "N;ACC;SG")]
        tensors = tensors_of(model, instances_of(rows))
        model(**tensors)["loss"].backward()
        for name, parameter in model.named_parameters():
            assert parameter.grad is not None, name
            flat = parameter.data.view(-1)
            place = int(parameter.grad.abs().argmax())
            before = flat[place].item()
            losses = []
            for shift in (1e-5, -1e-5):
                flat[place] = before + shift
                losses.append(model(**tensors)["loss"].item())
            flat[place] = before
            found = parameter.grad.view(-1)[place].item()
            assert found == pytest.approx((losses[0] - losses[1]) / 2e-5, abs=1e-6), name


class TestUnseenCharacters:
    def test_hiding_is_training_on_unseen_characters(self) -> None:
        model = toy_pointer_generator(INFLECTIONS, unseen_rate=1.0).train()
        seen = instances_of([("kok", "koknok", "N;ACC;SG"), ("sali", "sa", "N;NOM;PL")])
        unseen = instances_of([("жщж", "жщжnщж", "N;ACC;SG"), ("жщчы", "жщ", "N;NOM;PL")])
        loss = model(**tensors_of(model, seen))["loss"].item()
        assert loss == pytest.approx(-sum(model.log_prob(unseen)) / 2, rel=1e-5)
        assert model.log_prob(seen) != pytest.approx(model.log_prob(unseen), rel=1e-2)

    def test_they_are_copied_right(self) -> None:
        lemmas = [
            "".join(word) for size in (1, 2, 3) for word in itertools.permutations("koli", size)
        ]
        rows = [(lemma, lemma + "to", "N;PL") for lemma in lemmas]
        torch.manual_seed(0)
        model = Model.from_params(
            vocab=Vocabulary.from_instances(instances_of(rows)),
            params=Params(pointer_params(size=24, unseen_rate=0.3)),
        )
        assert isinstance(model, PointerGenerator)
        tensors = tensors_of(model, instances_of(rows))
        optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
        for _ in range(120):
            optimizer.zero_grad()
            model(**tensors)["loss"].backward()
            optimizer.step()
        unseen = ["ç", "kж", "жщ", "oçl", "щkж", "жщç"]
        found = model.inflect(instances_of([(lemma, None, "N;PL") for lemma in unseen]))
        assert [candidates[0][0] for candidates in found] == [lemma + "to" for lemma in unseen]


class TestOddWords:
    def test_forms_are_cut_at_max_steps(self) -> None:
        model = toy_pointer_generator(INFLECTIONS, max_steps=2)
        instances = instances_of(INFLECTIONS)
        assert all(len(form) <= 1 for found in model.inflect(instances, 3) for form, _ in found)
        assert all(len(form) <= 1 for form in model.sample(instances))

    def test_dropout_and_hiding_are_off_and_the_mode_restored(self) -> None:
        model = toy_pointer_generator(INFLECTIONS, dropout=0.5, unseen_rate=0.5).train()
        instances = instances_of(INFLECTIONS)
        assert model.log_prob(instances) == model.log_prob(instances)
        assert model.training


def test_sizes_that_do_not_fit_are_an_error() -> None:
    params = pointer_params()
    params["decoder"]["input_size"] += 1
    with pytest.raises(ConfigurationError, match="decoder input"):
        Model.from_params(
            vocab=Vocabulary.from_instances(instances_of(TINY)), params=Params(params)
        )
