"""Ensembles of archives by the command line."""

import json
import math
import shutil

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models import load_archive

from allennlp_svae.models.inflection_mixture import InflectionMixture
from allennlp_svae.models.parts import part_of, reader_of
from allennlp_svae.training.mixture_trainer import MixtureTrainer
from allennlp_svae.training.mixture_weights import fit_mixture_weights
from tests.inflection_toy import INFLECTIONS, toy_transducer
from tests.small_runs import train_small


@pytest.fixture(scope="module")
def components(tmp_path_factory, allennlp, treebank, svae_run):
    """The rules, an svae and an edit transducer of a smaller portion, whose vocabulary is another."""
    folder = tmp_path_factory.mktemp("components")
    smaller = train_small(
        allennlp, folder / "smaller", "edit_transducer", treebank, labeled_tokens=40, seed=2
    )
    rules = train_small(allennlp, folder / "rules", "fst", treebank)
    svae = folder / "svae.tar.gz"
    shutil.copy(svae_run / "model.tar.gz", svae)
    return [rules, svae, smaller]


@pytest.fixture(scope="module")
def dev(treebank):
    return f"{treebank}/dev"


@pytest.fixture(scope="module")
def answers(components, dev):
    """What each component's own archive predicts: candidates, and log p of the right forms."""
    return [_answers(load_archive(path), dev) for path in components]


@pytest.fixture(scope="module")
def ensemble(components, answers, tmp_path_factory, allennlp, treebank):
    """The archive of a fitted ensemble, alone, while the archives of its components are gone."""
    folder = tmp_path_factory.mktemp("ensemble")
    made = train_small(
        allennlp,
        folder,
        "ensemble_of_archives",
        treebank,
        archives=list(map(str, components)),
        weights="fit",
    )
    for path in components:
        path.rename(path.with_name("gone"))
    shutil.copy(made, folder / "alone.tar.gz")
    metrics = json.loads((folder / "run" / "metrics.json").read_text())
    (folder / "run").rename(folder / "gone")
    yield folder / "alone.tar.gz", metrics
    for path in components:
        path.with_name("gone").rename(path)


def test_each_component_predicts_what_its_own_archive_does(ensemble, answers, dev):
    archive = load_archive(ensemble[0])
    instances = list(archive.validation_dataset_reader.read(dev))
    vocabularies = [one.archived.vocab for one in archive.model.components]
    assert len({vocab.get_vocab_size("characters") for vocab in vocabularies}) > 1
    for component, (candidates, log_probs) in zip(archive.model.components, answers, strict=True):
        assert component.inflect(instances, 3) == candidates
        assert component.log_prob(instances) == log_probs


def test_fitted_weights_are_in_the_archive_and_are_the_likeliest(ensemble, answers):
    archive, metrics = ensemble
    log_probs = torch.tensor([scores for _, scores in answers])
    expected = fit_mixture_weights(log_probs).tolist()
    assert load_archive(archive).model.weights == pytest.approx(expected, abs=1e-6)
    assert [metrics[f"weight_{number}"] for number in range(3)] == pytest.approx(expected)


def test_it_evaluates_as_it_did_when_it_was_made(ensemble, dev, allennlp, tmp_path):
    archive, metrics = ensemble
    allennlp("evaluate", archive, dev, "--output-file", tmp_path / "metrics.json")
    measured = json.loads((tmp_path / "metrics.json").read_text())
    assert measured["inflection_accuracy"] > 0.0
    for name, value in measured.items():
        assert metrics[f"validation_{name}"] == pytest.approx(value)


def test_it_predicts(ensemble, dev, allennlp, tmp_path):
    (tmp_path / "asked.jsonl").write_text('{"lemma": "rosa", "tag": "N;ACC;SG"}\n')
    output = tmp_path / "out"
    allennlp("predict", ensemble[0], tmp_path / "asked.jsonl", "--output-file", output, "--silent")
    answer = json.loads(output.read_text())
    calibration = load_archive(ensemble[0]).model.calibration
    assert (float(calibration.inverse_temperature), float(calibration.bias)) != (1.0, 0.0)
    scores = [candidate["log_prob"] for candidate in answer["candidates"]]
    assert scores == sorted(scores, reverse=True)
    assert sum(map(math.exp, scores)) <= 1.0 + 1e-5


def test_an_ensemble_can_be_of_ensembles_with_given_weights(
    ensemble, dev, allennlp, treebank, tmp_path
):
    inner = [ensemble[0], ensemble[0]]
    outer = train_small(
        allennlp,
        tmp_path,
        "ensemble_of_archives",
        treebank,
        archives=list(map(str, inner)),
        weights=[3, 1],
    )
    archive = load_archive(outer)
    assert archive.model.weights == [0.75, 0.25]
    instances = list(archive.validation_dataset_reader.read(dev))
    assert archive.model.log_prob(instances) == pytest.approx(
        load_archive(ensemble[0]).model.log_prob(instances), abs=1e-5
    )


def test_it_wants_a_mixture_and_data_to_fit_it_to(tmp_path):
    transducer = toy_transducer(INFLECTIONS)
    with pytest.raises(ConfigurationError, match="is for an inflection_mixture"):
        MixtureTrainer(str(tmp_path), transducer)
    mixture = InflectionMixture(transducer.vocab, [transducer])
    with pytest.raises(ConfigurationError, match="Remedy: set `validation_data_path`"):
        MixtureTrainer(str(tmp_path), mixture, fit_weights=True)


def _answers(archive, path):
    inflector = part_of(archive.model, "inflector")
    reader = reader_of(archive.validation_dataset_reader, "inflector")
    instances = list(reader.read(path))
    for instance in instances:
        reader.apply_token_indexers(instance)
    return inflector.inflect(instances, 3), inflector.log_prob(instances)
