"""Of a trained svae, how q and p analyze sentences together."""

import json
from pathlib import Path
from typing import Any, Tuple

import pytest
import torch
from allennlp.data import Batch
from allennlp.models import load_archive

from allennlp_svae.data.treebank import read_sentences
from allennlp_svae.models.parts import part_of
from allennlp_svae.models.svae import StructuredVAE
from allennlp_svae.models.tagger_with_inflector import TaggerWithInflector


@pytest.fixture(scope="module")
def trained(svae_run: Path, treebank: Path) -> Tuple[StructuredVAE, Any]:
    """The model, and the annotated sentences of the development file as instances."""
    archive = load_archive(str(svae_run))
    assert isinstance(archive.model, StructuredVAE)
    reader = archive.dataset_reader.readers["tagger_lemmatizer"]  # type: ignore[attr-defined]
    return archive.model, list(map(reader.text_to_instance, read_sentences(f"{treebank}/dev")))


def test_sentences_are_analyzed_by_both(trained: Tuple[StructuredVAE, Any]) -> None:
    model, instances = trained
    together = TaggerWithInflector(model.vocab, model.tagger_lemmatizer, model.inflector, 0.3)
    expected = together.annotate(instances)
    assert part_of(model, "tagger_lemmatizer").annotate(instances) == expected
    assert expected != model.tagger_lemmatizer.annotate(instances)
    batch = Batch(instances)
    batch.index_instances(model.vocab)
    model.eval()
    with torch.no_grad():
        output = model(**batch.as_tensor_dict())
    assert output["lemmas"] == [[token.lemma for token in each.tokens] for each in expected]
    metrics = model.get_metrics(reset=True)
    assert metrics.keys() == {
        "tag_accuracy",
        "pos_accuracy",
        "lemma_accuracy",
        "joint_accuracy",
    }


def test_what_they_say_together_is_calibrated(trained: Tuple[StructuredVAE, Any]) -> None:
    model, _ = trained
    assert model.analyzer is not None
    together, alone = (
        [each.calibration.inverse_temperature.item(), each.calibration.bias.item()]
        for each in (model.analyzer, model.tagger_lemmatizer)
    )
    assert together != [1.0, 0.0]
    assert together != alone


def test_an_archive_holds_shared_weights_once(
    trained: Tuple[StructuredVAE, Any], svae_run: Path
) -> None:
    model, _ = trained
    assert model.analyzer is not None
    assert model.analyzer.inflector is model.inflector
    saved = svae_run / "best.th"
    tensors = torch.load(saved).values()
    stored = {each.data_ptr(): each.nbytes for each in tensors if isinstance(each, torch.Tensor)}
    assert saved.stat().st_size < 1.5 * sum(stored.values())


def test_without_a_weight_q_answers_alone(trained: Tuple[StructuredVAE, Any]) -> None:
    model, _ = trained
    parts = {name: getattr(model, name) for name in ("tag_lm", "lemma_lm", "inflector")}
    alone = StructuredVAE(model.vocab, tagger_lemmatizer=model.tagger_lemmatizer, **parts)
    assert alone.part("tagger_lemmatizer") is model.tagger_lemmatizer
    assert json.dumps(list(alone.state_dict())).count("analyzer") == 0
