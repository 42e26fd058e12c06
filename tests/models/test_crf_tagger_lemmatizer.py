"""The joint CRF tagger-lemmatizer against enumeration of all (lemma, tag) sequences, and as a trained Model."""

import itertools
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any, Dict

import numpy
import pytest
import torch
from allennlp.commands.train import train_model_from_file
from allennlp.common.checks import ConfigurationError
from allennlp.common.testing import ModelTestCase
from allennlp.data import Batch
from allennlp.models import load_archive
from scipy.stats import chisquare

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Triple
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.models.crf_tagger_lemmatizer import CrfTaggerLemmatizer
from tests.models.crf_toy import (
    ANNOTATED,
    COMPOSED,
    ENTRIES,
    EXACT,
    LONGER,
    PRUNED,
    READER,
    TRAINING,
    WORDS,
    annotate_with,
    check_best_pairs,
    log_probs,
    loss_of,
    model,
    pairs_of,
    random_model,
    sentence,
)

__all__ = ["model"]  # the fixture


def test_log_prob_and_loss_are_those_of_the_enumeration(model: CrfTaggerLemmatizer) -> None:
    expected = log_probs(model, WORDS)
    assert len(expected) > 100
    instances = [READER.text_to_instance(annotate_with(WORDS, path)) for path in expected]
    assert model.log_prob(instances) == pytest.approx(list(expected.values()), abs=1e-4)
    weighted = READER.text_to_instance(instances[0]["metadata"].metadata, weight=3.0)
    first, second = itertools.islice(expected.values(), 2)
    loss = loss_of(model, weighted, instances[1])
    assert loss == pytest.approx(-(3.0 * first + second) / 2, abs=1e-4)


def test_what_is_not_annotated_is_summed_out(model: CrfTaggerLemmatizer) -> None:
    expected = log_probs(model, WORDS)
    for text in (
        "Evler/ev/ geldi//ADJ",
        "Evler/ev/NOUN;Number=Plur geldi//",
        "Evler//ADJ geldi/gel/",
    ):
        partial = sentence(text)
        total = sum(
            math.exp(log_prob)
            for path, log_prob in expected.items()
            if all(
                token.lemma in (None, lemma) and token.tag in (None, tag)
                for token, (lemma, tag) in zip(partial.tokens, path, strict=True)
            )
        )
        assert loss_of(model, READER.text_to_instance(partial)) == pytest.approx(
            -math.log(total), abs=1e-4
        )


def test_best_and_k_best_maximise_over_pairs(model: CrfTaggerLemmatizer) -> None:
    expected = log_probs(model, WORDS)
    instance = READER.text_to_instance(WORDS)
    ranked = sorted(expected, key=expected.__getitem__, reverse=True)
    (best,) = model.annotate([instance])
    assert pairs_of(best) == ranked[0]
    (found,) = model.k_best([instance], 20)
    assert [log_prob for _, log_prob in found] == pytest.approx(
        [expected[path] for path in ranked[:20]], abs=1e-4
    )
    assert len({pairs_of(each) for each, _ in found}) == 20
    for each, log_prob in found:
        assert expected[pairs_of(each)] == pytest.approx(log_prob, abs=1e-4)
    (everything,) = model.k_best([instance], 10_000)
    assert len(everything) == len(expected)


def test_the_best_pairs_of_each_word_are_those_of_the_enumeration(
    model: CrfTaggerLemmatizer,
) -> None:
    expected = log_probs(model, WORDS)
    for k in (1, 4, 10_000):
        (found,) = model.analyses([READER.text_to_instance(WORDS)], k)
        for position, analyses in enumerate(found):
            check_best_pairs(position, analyses, expected, k)


def test_samples_are_drawn_from_the_distribution_over_pairs(model: CrfTaggerLemmatizer) -> None:
    torch.manual_seed(0)
    for parameter in model.parameters():
        parameter.data.mul_(2.0)  # fewer rare paths
    expected = log_probs(model, WORDS)
    repeats = 6000
    samples = model.annotate([READER.text_to_instance(WORDS)] * repeats, how="sample")
    counts = Counter(map(pairs_of, samples))
    assert set(counts) <= set(expected)
    frequent = [path for path, log_prob in expected.items() if math.exp(log_prob) * repeats >= 5]
    assert len(frequent) > 10
    predicted = numpy.array([math.exp(expected[path]) * repeats for path in frequent])
    observed = numpy.array([counts[path] for path in frequent], dtype=float)
    cells = [
        numpy.append(values[1:], values[0] + repeats - values.sum())
        for values in (observed, predicted)
    ]
    assert chisquare(*cells).pvalue > 1e-3


def test_marginals_are_those_of_the_enumeration(model: CrfTaggerLemmatizer) -> None:
    expected = numpy.zeros((2, len(model.inventory)))
    for path, log_prob in log_probs(model, WORDS).items():
        for position, (_, tag) in enumerate(path):
            expected[position, model.inventory.index_of(tag)] += math.exp(log_prob)
    (marginals,) = model.marginals([READER.text_to_instance(WORDS)])
    assert numpy.allclose(marginals, expected, atol=1e-5)


def test_a_lexicon_adds_lemmas_and_tags_where_it_lists_them() -> None:
    model = random_model(lexicon=ENTRIES)
    new = MorphTag.parse("NOUN;Number=Dual")
    instances = [
        READER.text_to_instance(sentence(text))
        for text in (
            "Evler/evla/NOUN;Number=Dual",
            "evler/evla/NOUN;Number=Dual",
            "geldi/gel/NOUN;Number=Dual",
            "geldi/git/VERB;Tense=Past",
        )
    ]
    assert model.inventory.tags[-2:] == sorted([new, MorphTag.parse("ADV;Degree=Cmp")])
    possible, folded, elsewhere, other = model.log_prob(instances)
    assert math.isfinite(possible)
    assert folded == elsewhere == -math.inf
    assert math.isfinite(other)
    assert random_model().log_prob(instances) == [-math.inf] * 4


def test_composed_tags_are_possible_for_every_word() -> None:
    instance = READER.text_to_instance(sentence(f"geldi/gel/{COMPOSED}"))
    (log_prob,) = random_model(composed_tag_ratio=0.125).log_prob([instance])
    assert math.isfinite(log_prob)
    # Fewer than one of eight.
    assert random_model(composed_tag_ratio=0.12).log_prob([instance]) == [-math.inf]


def test_what_a_lexicon_lists_is_believed_as_far_as_training_data_bear_it_out() -> None:
    new = MorphTag.parse("NOUN;Number=Dual")
    words = READER.text_to_instance(sentence("blick/blicka/NOUN;Number=Dual"))
    probabilities = []
    for is_right in (True, False):
        entries = [Triple("blick", "blicka", new)]
        for text in ANNOTATED:
            for form, lemma, tag in sentence(text).tokens:
                assert tag is not None
                entries.append(Triple(form, str(lemma), tag if is_right else MorphTag("X")))
        model = random_model(lexicon=entries).train()
        for parameter in model.parameters():
            parameter.data.zero_()
        batch = Batch(TRAINING)
        batch.index_instances(model.vocab)
        optimizer = torch.optim.Adagrad(model.parameters(), lr=0.2)
        for _ in range(60):
            optimizer.zero_grad()
            model(**batch.as_tensor_dict())["loss"].backward()
            optimizer.step()
        probabilities.append(math.exp(model.log_prob([words])[0]))
    assert probabilities[0] > 2 * probabilities[1]


def test_weights_of_the_default_are_those_of_its_archives() -> None:
    names = {name for name, _ in random_model().named_parameters()}
    assert names >= {
        "part_transitions",
        "initial_parts",
        "final_parts",
        "word_scorer.sparse.weight",
    }
    second = {name for name, _ in random_model(order=2, pruning=[4, 2]).named_parameters()}
    assert second == {*names, "trigrams.weight"}
    assert set(random_model(pruning=[4]).state_dict()) == set(random_model().state_dict())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 3}, "order must be 1 or 2"),
        ({"order": 2, "pruning": [4]}, "1 targets; of order 2 it needs 2"),
        ({"pruning": [4, 2]}, "2 targets; of order 1 it needs 1"),
        ({"pruning": [0.5]}, "a target of 0.5"),
        ({"pruning": [4], "pos_pruning": 0.5}, "pos_pruning: a target of 0.5"),
        ({"pos_pruning": 2}, "give targets of both"),
    ],
)
def test_options_that_fit_nothing_are_refused(options: Dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        random_model(**options)


@pytest.mark.parametrize("options", [*EXACT, *PRUNED], ids=str)
def test_results_do_not_depend_on_the_company(options: Dict[str, Any]) -> None:
    model = random_model(**options)
    texts = [*ANNOTATED, "kitap// kitap// kitap// kitap// kitap//", "ev//"]
    instances = [READER.text_to_instance(sentence(text)) for text in texts]
    together = model.annotate(instances)
    assert together == [model.annotate([instance])[0] for instance in instances]
    assert [each.forms for each in together] == [sentence(text).forms for text in texts]


def test_what_q_cannot_produce_has_no_probability(model: CrfTaggerLemmatizer) -> None:
    unknown_tag = READER.text_to_instance(sentence("ev/ev/X;Foreign=Yes"))
    unknown_lemma = READER.text_to_instance(sentence("ev/house/ADJ"))
    assert model.log_prob([unknown_tag, unknown_lemma]) == [-math.inf, -math.inf]
    with pytest.raises(DataError, match="'Evler' has no tag"):
        model.log_prob([READER.text_to_instance(WORDS)])


def test_an_unknown_tag_is_wrong_but_no_loss(model: CrfTaggerLemmatizer) -> None:
    assert loss_of(model, READER.text_to_instance(sentence("ev//X;Foreign=Yes"))) == pytest.approx(
        0.0, abs=1e-5
    )
    metrics = model.get_metrics(reset=True)
    assert metrics["unknown_tag_rate"] == 1.0
    assert metrics["tag_accuracy"] == 0.0
    assert all(type(value) is float for value in metrics.values())


def test_the_likelihood_is_that_of_the_words_that_are_scored(model: CrfTaggerLemmatizer) -> None:
    likelihoods = []
    for unknown in ("", " ev//", " ev//X;Foreign=Yes ev/house/X;Foreign=Yes"):
        loss = loss_of(model, READER.text_to_instance(sentence("Evler/ev/ADJ ev//ADJ" + unknown)))
        likelihoods.append(model.get_metrics(reset=True)["log_likelihood"])
        assert likelihoods[-1] == pytest.approx(-loss / 2, abs=1e-5)
    assert max(likelihoods) < -0.1
    # Of what has no tag the lemma counts.
    loss = loss_of(model, READER.text_to_instance(sentence("Evler/ev/ADJ Evler/ev/")))
    assert model.get_metrics(reset=True)["log_likelihood"] == pytest.approx(-loss / 2, abs=1e-5)


def test_in_training_an_unreachable_lemma_is_a_candidate(model: CrfTaggerLemmatizer) -> None:
    instance = READER.text_to_instance(sentence("ev/house/ADJ"))
    free = loss_of(model, READER.text_to_instance(sentence("ev//ADJ")))
    assert loss_of(model, instance) == pytest.approx(free, abs=1e-5)
    assert loss_of(model.train(), instance) > free + 0.001


@pytest.mark.parametrize("options", [*EXACT, *PRUNED], ids=str)
def test_the_gradient_is_that_of_finite_differences(options: Dict[str, Any]) -> None:
    model = random_model(**options).double().train()
    batch = Batch(TRAINING)
    batch.index_instances(model.vocab)
    tensors = batch.as_tensor_dict()
    model(**tensors)["loss"].backward()
    generator = torch.Generator().manual_seed(1)
    for parameter in model.parameters():
        gradient = parameter.grad.to_dense() if parameter.grad.is_sparse else parameter.grad
        direction = torch.randn(parameter.shape, generator=generator, dtype=torch.double)
        losses = []
        for step in (1e-5, -1e-5):
            with torch.no_grad():
                parameter.add_(direction, alpha=step)
                losses.append(float(model(**tensors)["loss"]))
                parameter.add_(direction, alpha=-step)
        slope = (losses[0] - losses[1]) / 2e-5
        assert slope == pytest.approx(float((gradient * direction).sum()), rel=1e-5, abs=1e-7)


def test_bad_requests_are_refused(model: CrfTaggerLemmatizer) -> None:
    with pytest.raises(ValueError, match="how must be"):
        model.annotate([], how="worst")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 1"):
        model.k_best([], 0)


CONFIG: Dict[str, Any] = {
    "dataset_reader": {"type": "tagged_sentences", "tagset": "ud"},
    "model": {"type": "crf_tagger_lemmatizer"},
    "data_loader": {"batch_size": 2, "shuffle": True},
    "trainer": {
        "num_epochs": 15,
        "optimizer": {"type": "adagrad", "lr": 0.1},
        "moving_average": {"type": "polynomial_decay", "every": 2},
        "cuda_device": -1,
    },
}


class TestCrfTaggerLemmatizer(ModelTestCase):
    model_config: Dict[str, Any] = CONFIG["model"]

    def setup_method(self) -> None:
        super().setup_method()
        data = Path(self.TEST_DIR) / "train.conllu"
        with data.open("w", encoding="utf-8") as file:
            for text in ANNOTATED:
                for index, token in enumerate(sentence(text).tokens, start=1):
                    assert token.tag is not None
                    features = "|".join(sorted(token.tag.features)) or "_"
                    columns = [index, token.form, token.lemma, token.tag.pos, "_", features]
                    print(*columns, "_", "_", "_", "_", sep="\t", file=file)
                print(file=file)
        config = Path(self.TEST_DIR) / "config.json"
        paths = {"train_data_path": str(data), "validation_data_path": str(data)}
        config.write_text(
            json.dumps({**CONFIG, **paths, "model": self.model_config}), encoding="utf-8"
        )
        self.set_up_model(config, data)

    def test_it_trains_saves_and_loads(self) -> None:
        self.ensure_model_can_train_save_and_load(
            self.param_file,
            metric_to_check="joint_accuracy",
            metric_terminal_value=1.0,
            metric_tolerance=1e-9,
        )

    def test_an_archive_can_be_pruned_when_it_is_loaded(self) -> None:
        run = Path(self.TEST_DIR) / "run"
        trained = train_model_from_file(self.param_file, run)
        pruning = [1.0] * self.model_config.get("order", 1)
        pruned = load_archive(run, overrides={"model.pruning": pruning}).model
        names = dict(trained.named_parameters())
        assert all(torch.equal(value, names[name]) for name, value in pruned.named_parameters())
        (marginals,) = pruned.marginals([READER.text_to_instance(LONGER)])
        assert (marginals > 0).sum() == 3

    def test_trained_twice_it_is_the_same(self) -> None:
        first, second = (
            train_model_from_file(self.param_file, Path(self.TEST_DIR) / run).state_dict()
            for run in ("first", "second")
        )
        assert all(torch.equal(value, second[name]) for name, value in first.items())

    def test_batches_agree_with_single_instances(self) -> None:
        self.ensure_batch_predictions_are_consistent(keys_to_ignore=["loss"])


class TestSecondOrder(TestCrfTaggerLemmatizer):
    model_config = {**CONFIG["model"], "order": 2, "pruning": [3, 2]}
