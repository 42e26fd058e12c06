"""What the ablation takes away is away."""

from pathlib import Path

import numpy
import pytest
import torch
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model

from allennlp_svae.data.treebank import read_sentences
from allennlp_svae.models.crf_tagger_lemmatizer import CrfTaggerLemmatizer
from benchmarks.ablation.tagger_models import CrfWithLemmasAfterTags, CrfWithoutAttributes
from tests.configs import evaluated
from tests.conftest import ROOT
from tests.models.crf_toy import READER, VOCAB, WORDS


def randomize(parameter: torch.nn.Parameter) -> None:
    torch.nn.init.normal_(parameter, generator=torch.Generator().manual_seed(len(parameter)))


def marginals(model: CrfTaggerLemmatizer) -> numpy.ndarray:
    (found,) = model.eval().marginals([READER.text_to_instance(WORDS)])
    return found


@pytest.mark.parametrize(
    ("kind", "are_heard"), [(CrfTaggerLemmatizer, 1), (CrfWithLemmasAfterTags, 0)]
)
def test_lemmas_say_nothing_about_tags(kind: type, are_heard: int) -> None:
    model = kind(VOCAB)
    before = marginals(model)
    randomize(model.lemma_scorer.linear.weight)
    assert numpy.allclose(marginals(model), before, atol=1e-5) != are_heard
    randomize(model.word_scorer.sparse.weight)
    assert not numpy.allclose(marginals(model), before, atol=1e-2)


@pytest.mark.parametrize(
    ("kind", "are_heard"), [(CrfTaggerLemmatizer, 1), (CrfWithoutAttributes, 0)]
)
def test_values_of_attributes_weigh_nothing(kind: type, are_heard: int) -> None:
    model = kind(VOCAB)
    before = marginals(model)
    columns = [index for index, part in enumerate(model.inventory.parts) if "=" in part]
    model.word_scorer.sparse.weight.data[:, columns] = 1.0
    model.part_transitions.data[columns] = 2.0
    assert numpy.allclose(marginals(model), before, atol=1e-5) != are_heard


@pytest.mark.parametrize(
    "path", sorted((ROOT / "benchmarks" / "ablation").glob("tagger_*.jsonnet"))
)
def test_each_config_makes_a_model(path: Path) -> None:
    config = evaluated(path, treebank=str(ROOT / "fixtures" / "demo"))
    reader = DatasetReader.from_params(Params(config["dataset_reader"]))
    vocab = Vocabulary.from_params(Params(config["vocabulary"]), instances=[])
    model = Model.from_params(Params(config["model"]), vocab=vocab)
    assert isinstance(model, CrfTaggerLemmatizer)
    (sentence, *_) = read_sentences(config["validation_data_path"])
    (annotated,) = model.annotate([reader.text_to_instance(sentence)])
    assert annotated.forms == sentence.forms
