"""A tagger with a prior: beside what holds of all networks that weigh pairs anew, and trained."""

import json
from itertools import product
from pathlib import Path
from typing import Any, Callable, Dict

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.models import load_archive

from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.models.inference_network import InferenceNetwork, tag_of
from allennlp_svae.models.svae import StructuredVAE
from allennlp_svae.models.tagger_with_prior import TaggerWithPrior
from allennlp_svae.modules.pair_prior import PairPrior
from tests.conftest import ROOT
from tests.inflection_toy import tensors_of
from tests.models.crf_toy import sentence
from tests.models.weighed_toy import ANNOTATED, INSTANCE, READER, with_prior
from tests.small_runs import train_small


def test_a_known_lemma_is_preferred() -> None:
    model = with_prior(num_pairs=100, within=100.0, lemmatizer_weight=0.0)
    # Whatever form and lemma tell of the tag.
    model._prior = PairPrior(model.vocab, form_tells_tag=0.0, lemma_tells_tag=0.0)
    before, after = (
        {
            each.token: each.log_prob
            for pairs in network.analyses([INSTANCE], 100)[0]
            for each in pairs
        }
        for network in (model.tagger, model)
    )
    known = model._prior._known
    gained = {token: after[token] - before[token] for token in before}
    compared = [
        gained[one] > gained[other]
        for one, other in product(gained, gained)
        if one.form == other.form
        and (one.lemma, tag_of(one).pos) in known
        and (other.lemma, tag_of(other).pos) not in known
    ]
    assert compared
    assert all(compared)


def test_lemmas_are_written_that_the_tagger_has_not() -> None:
    instance = READER.text_to_instance(sentence("evlerler//"))
    model = with_prior(num_pairs=100, within=100.0)
    of_tagger, found = (
        {each.token for pairs in network.analyses([instance], 100)[0] for each in pairs}
        for network in (model.tagger, model)
    )
    assert of_tagger < found
    alone = with_prior(num_pairs=100, within=100.0, lemmatizer_weight=0.0)
    assert {
        each.token for pairs in alone.analyses([instance], 100)[0] for each in pairs
    } == of_tagger


def test_answers_are_the_same_when_they_are_remembered() -> None:
    model = with_prior()
    expected = model.analyses([INSTANCE], 100)
    model.remember(100)
    assert [model.analyses([INSTANCE], 100) for _ in range(2)] == [expected, expected]


def test_in_training_it_is_the_tagger() -> None:
    model = with_prior().train()
    tensors = tensors_of(model, [READER.text_to_instance(sentence(each)) for each in ANNOTATED])
    assert torch.equal(model(**tensors)["loss"], model.tagger(**tensors)["loss"])
    assert model.components() == {"tagger": model.tagger}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"within": -0.1}, "must not be negative"),
        ({"num_pairs": 0}, "needs one at least"),
        ({"lemmatizer_weight": 1.0}, "from 0 to less than 1"),
        ({"lemmatizer_weight": -0.1}, "from 0 to less than 1"),
    ],
)
def test_other_numbers_are_refused(options: Dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        with_prior(**options)


# Trained for real

SETTINGS = """
(import CONFIG) + {
  treebank:: TREEBANK, labeled_tokens:: 120, tagset:: 'ud',
  parts+:: { tagger_lemmatizer+: { components+:: { tagger+: { trainer+: { num_epochs: 2 } } } } },
}"""


def test_a_run_trains_the_tagger_and_keeps_what_it_knows(
    treebank: Path, tmp_path: Path, allennlp: Callable[..., None]
) -> None:
    config = tmp_path / "config.jsonnet"
    path = json.dumps(str(ROOT / "training_config" / "tagger_with_prior.jsonnet"))
    text = SETTINGS.replace("CONFIG", path).replace("TREEBANK", json.dumps(str(treebank)))
    config.write_text(text, encoding="utf-8")
    run = tmp_path / "run"
    allennlp("train", config, "-s", run)
    archive = load_archive(str(run / "model.tar.gz"))
    model = archive.model
    assert isinstance(model, TaggerWithPrior)
    labeled = list(archive.dataset_reader.read(f"{treebank}/train#labeled"))
    known = {
        (token.lemma, token.tag.pos)
        for instance in labeled
        for token in instance["metadata"].metadata.tokens
        if token.lemma is not None and token.tag is not None
    }
    assert model._prior._known == known
    dev = list(archive.dataset_reader.read(f"{treebank}/dev"))
    right, of_tagger = (_num_right(each, dev) for each in (model, model.tagger))
    assert right > of_tagger
    strange = Sentence(tuple(Token(form, None, None) for form in ("Ж", "☃", "a" * 60, "1", "-")))
    (annotated,) = model.annotate([archive.dataset_reader.text_to_instance(strange)])
    assert annotated.forms == strange.forms
    assert all(token.lemma and token.tag for token in annotated.tokens)


def _num_right(model: InferenceNetwork, instances: Any) -> int:
    found = model.annotate(instances)
    return sum(
        token == gold
        for instance, sentence in zip(instances, found, strict=True)
        for token, gold in zip(sentence.tokens, instance["metadata"].metadata.tokens, strict=True)
    )


def test_an_svae_has_one(treebank: Path, tmp_path: Path, allennlp: Callable[..., None]) -> None:
    archive = load_archive(str(train_small(allennlp, tmp_path, "svae", treebank, tagset="ud")))
    assert isinstance(archive.model, StructuredVAE)
    tagger = archive.model.tagger_lemmatizer
    assert isinstance(tagger, TaggerWithPrior)
    assert tagger._prior._known
