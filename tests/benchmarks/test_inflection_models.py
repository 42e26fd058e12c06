"""What the ablation takes away from the pointer-generator is away."""

import math
from pathlib import Path

import pytest
import torch
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.models import Model
from allennlp.modules import TextFieldEmbedder

from allennlp_svae.models.inflection_model import InflectionModel
from allennlp_svae.models.pointer_generator import PointerGenerator
from benchmarks.ablation.inflection_models import PointerGeneratorOfKnownCharacters, TagSequence
from tests.configs import evaluated
from tests.conftest import ROOT
from tests.inflection_toy import INFLECTIONS, embedder, instances_of, pointer_params, toy_model

SIZE = 5
PARTS = Vocabulary(counter={"tag_parts": dict.fromkeys(("N", "PL", "SG"), 1)})


def pointer(kind: str) -> PointerGenerator:
    model = toy_model(INFLECTIONS, 1, 4.0, {**pointer_params(), "type": kind})
    assert isinstance(model, PointerGenerator)
    return model


@pytest.mark.parametrize(
    ("kind", "kept_apart"),
    [("pointer_generator", True), ("pointer_generator_of_known_characters", False)],
)
def test_unknown_characters_are_one(kind: str, kept_apart: bool) -> None:
    model = pointer(kind)
    pairs = [("koж", "koж", "N;NOM;PL"), ("koж", "koç", "N;NOM;PL")]
    right, wrong = model.log_prob(instances_of(pairs))
    assert math.isclose(right, wrong, abs_tol=1e-4) != kept_apart


def test_unknown_characters_are_never_written() -> None:
    model = pointer("pointer_generator_of_known_characters")
    assert isinstance(model, PointerGeneratorOfKnownCharacters)
    found = model.inflect(instances_of([("жжж", None, "N;NOM;PL")]), 5)
    assert not any("ж" in form for form, _ in found[0])


def tag_of(*parts: str, padding: int = 0) -> dict[str, dict[str, torch.Tensor]]:
    ids = [PARTS.get_token_index(part, "tag_parts") for part in parts]
    return {"tag_parts": {"tokens": torch.tensor([ids + [0] * padding])}}


@pytest.fixture
def sequence() -> TagSequence:
    torch.manual_seed(1)
    params = {
        "type": "tag_sequence",
        "embedder": embedder("tag_parts", SIZE),
        "encoder": {"type": "gru", "input_size": SIZE, "hidden_size": SIZE},
    }
    made = TextFieldEmbedder.from_params(Params(params), vocab=PARTS)
    assert isinstance(made, TagSequence)
    return made


def test_the_order_of_parts_counts(sequence: TagSequence) -> None:
    one, other = (sequence(tag_of(*parts)).sum(dim=1) for parts in (("N", "PL"), ("PL", "N")))
    assert not torch.allclose(one, other, atol=1e-3)


def test_padding_does_not_count(sequence: TagSequence) -> None:
    short, long = (sequence(tag_of("N", "PL", padding=padding)) for padding in (0, 2))
    assert long.shape == (1, 4, sequence.get_output_dim())
    assert torch.allclose(short.sum(dim=1), long.sum(dim=1), atol=1e-6)


@pytest.mark.parametrize(
    "path",
    sorted(
        path
        for path in (ROOT / "benchmarks" / "ablation").glob("*.jsonnet")
        if not path.name.startswith(("tagger_", "svae_"))
    ),
    ids=lambda path: path.stem,
)
def test_each_config_makes_a_model(path: Path) -> None:
    config = evaluated(path, treebank=str(ROOT / "fixtures" / "demo"))
    reader = DatasetReader.from_params(Params(config["dataset_reader"]))
    train = list(reader.read(config["train_data_path"]))
    vocab = Vocabulary.from_params(Params(config.get("vocabulary", {})), instances=train)
    model = Model.from_params(Params(config["model"]), vocab=vocab).eval()
    assert isinstance(model, InflectionModel)
    (candidates,) = model.inflect(train[:1])
    assert candidates
