"""A toy language and a small inflector of it, for the tests of the inflection models."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence

import torch
from allennlp.common import Params
from allennlp.data import Batch, Instance, Vocabulary
from allennlp.models import Model
from scipy.stats import chisquare

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.inflections import ATTESTED, InflectionsReader
from allennlp_svae.models.edit_transducer import EditTransducer
from allennlp_svae.models.inflector import Inflector
from allennlp_svae.models.pointer_generator import PointerGenerator

INFLECTIONS = [
    ("ko", "koto", "N;NOM;PL"),
    ("ko", "ko", "N;NOM;SG"),
    ("ko", "kon", "N;ACC;SG"),
    ("sali", "salito", "N;NOM;PL"),
    ("sali", "salin", "N;ACC;SG"),
    ("İra", "ira", "PROPN;NOM;SG"),
    ("", "a", "V;PST"),
    ("pel", "pella", "V;PST"),
]


def write_tsv(path: Path) -> str:
    lines = ["\t".join(row) for row in INFLECTIONS if row[0]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def embedder(name: str, dim: int) -> Dict[str, Any]:
    token_embedder = {"type": "embedding", "embedding_dim": dim, "vocab_namespace": name}
    return {"token_embedders": {name: token_embedder}}


def inflector_params(
    beam_size: int = 3, max_steps: int = 20, dropout: float = 0.0, size: int = 5
) -> Dict[str, Any]:
    return {
        "type": "inflector",
        "lemma_embedder": embedder("characters", size),
        "tag_embedder": embedder("tag_parts", size),
        "encoder": {"type": "gru", "input_size": size, "hidden_size": size, "bidirectional": True},
        "decoder": {
            "input_size": size,
            "memory_size": 2 * size,
            "hidden_size": size,
            "attention": {"type": "bilinear", "matrix_1_dim": size, "matrix_2_dim": 2 * size},
            "dropout": dropout,
        },
        "dropout": dropout,
        "beam_search": {"beam_size": beam_size, "max_steps": max_steps},
    }


def transducer_params(
    beam_size: int = 3,
    max_insertions: int = 8,
    dropout: float = 0.0,
    size: int = 5,
    networks: int = 1,
    **options: Any,
) -> Dict[str, Any]:
    network = {
        "lemma_embedder": embedder("characters", size),
        "tag_embedder": embedder("tag_parts", size),
        "encoder": {
            "type": "gru",
            "input_size": 2 * size,
            "hidden_size": size,
            "bidirectional": True,
        },
        "decoder": {
            "action_size": size,
            "memory_size": 2 * size,
            "tag_size": size,
            "hidden_size": size,
            "attention": {"type": "bilinear", "matrix_1_dim": size, "matrix_2_dim": size},
            "dropout": dropout,
        },
        "action_dim": size,
        "dropout": dropout,
    }
    return {
        "type": "edit_transducer",
        "networks": [deepcopy(network) for _ in range(networks)],
        "beam_size": beam_size,
        "max_insertions": max_insertions,
        **options,
    }


def pointer_params(unseen_rate: float = 0.0, **options: Any) -> Dict[str, Any]:
    """The toy inflector's, with the tag beside each character."""
    params = inflector_params(**options)
    width = 2 * params["encoder"]["input_size"]
    return {
        **params,
        "type": "pointer_generator",
        "encoder": {**params["encoder"], "input_size": width},
        "decoder": {**params["decoder"], "input_size": width},
        "unseen_rate": unseen_rate,
    }


def config(tsv: str, model: Dict[str, Any], epochs: int = 1, lr: float = 0.01) -> Dict[str, Any]:
    return {
        "dataset_reader": {"type": "inflections"},
        "train_data_path": tsv,
        "validation_data_path": tsv,
        "datasets_for_vocab_creation": ["train"],
        "model": model,
        "data_loader": {"batch_size": 4, "shuffle": True},
        "trainer": {
            "num_epochs": epochs,
            "optimizer": {"type": "adam", "lr": lr},
            "validation_metric": "+inflection_accuracy",
            "cuda_device": -1,
        },
    }


def write_config(path: Path, contents: Dict[str, Any]) -> str:
    path.write_text(json.dumps(contents), encoding="utf-8")
    return str(path)


def instances_of(rows: Sequence[Any]) -> list[Instance]:
    """From (lemma, form or None, tag), indexers applied."""
    reader = InflectionsReader()
    instances = [
        reader.text_to_instance(lemma, MorphTag.parse(tag), form) for lemma, form, tag in rows
    ]
    for instance in instances:
        reader.apply_token_indexers(instance)
    return instances


def tensors_of(model: Model, instances: List[Instance]) -> Dict[str, Any]:
    batch = Batch(instances)
    batch.index_instances(model.vocab)
    return batch.as_tensor_dict()


def assert_drawn_from(counts: Mapping[str, int], probabilities: Mapping[str, float]) -> None:
    """By a chi-square test, that forms were drawn with these probabilities."""
    draws = sum(counts.values())
    assert set(counts) <= set(probabilities)
    frequent = [
        (counts[form], prob * draws) for form, prob in probabilities.items() if prob * draws >= 5
    ]
    assert len(frequent) >= 3
    observed = [count for count, _ in frequent]
    expected = [count for _, count in frequent]
    # The rare forms are pooled with the last frequent one.
    observed[-1] += draws - sum(observed)
    expected[-1] += draws - sum(expected)
    assert chisquare(observed, expected).pvalue > 1e-3


def toy_inflector(
    rows: Sequence[Any], seed: int = 1, sharpness: float = 4.0, **options: Any
) -> Inflector:
    """Untrained, its random distributions made less flat by `sharpness`, in evaluation mode."""
    model = toy_model(rows, seed, sharpness, inflector_params(**options))
    assert isinstance(model, Inflector)
    return model


def toy_pointer_generator(
    rows: Sequence[Any], seed: int = 1, sharpness: float = 4.0, **options: Any
) -> PointerGenerator:
    """As `toy_inflector`."""
    model = toy_model(rows, seed, sharpness, pointer_params(**options))
    assert isinstance(model, PointerGenerator)
    return model


def toy_transducer(
    rows: Sequence[Any],
    seed: int = 1,
    sharpness: float = 4.0,
    attested: Sequence[str] = (),
    **options: Any,
) -> EditTransducer:
    """As `toy_inflector`, with a raw text of the `attested` words."""
    model = toy_model(rows, seed, sharpness, transducer_params(**options), attested)
    assert isinstance(model, EditTransducer)
    return model


def toy_model(
    rows: Sequence[Any],
    seed: int,
    sharpness: float,
    params: Dict[str, Any],
    attested: Sequence[str] = (),
) -> Model:
    torch.manual_seed(seed)
    vocab = Vocabulary.from_instances(instances_of(rows))
    vocab.add_tokens_to_namespace(list(attested), ATTESTED)
    model = Model.from_params(vocab=vocab, params=Params(params))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            # The preference for copying would leave nothing else to happen.
            if not name.endswith("_output.bias"):
                parameter.mul_(sharpness)
    return model.eval()
