"""The configs as a user composes them."""

import json

import _jsonnet
import pytest
from allennlp.commands.train import TrainModel, train_model
from allennlp.common import Params
from allennlp.models import load_archive

from allennlp_svae.data.treebank import read_sentences
from tests.configs import evaluated
from tests.conftest import ROOT
from tests.small_runs import train_small

CONFIGS = sorted(ROOT.glob("training_config/**/*.jsonnet"))
PARTS = {"tag_lm", "lemma_lm", "inflector", "tagger_lemmatizer"}


def test_there_is_a_config_for_each_part_in_both_settings():
    for folder in (ROOT / "training_config", ROOT / "training_config" / "paper"):
        assert PARTS | {"svae"} <= {path.stem for path in folder.glob("*.jsonnet")}


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_users_settings_reach_every_config(path):
    config = evaluated(path, treebank="data/UD_X", labeled_tokens=77, tagset="ud", seed=3)
    assert config["train_data_path"] == "data/UD_X/train#labeled"
    assert config["validation_data_path"] == "data/UD_X/dev"
    assert config["dataset_reader"]["labeled_tokens"] == 77
    assert config["dataset_reader"]["tagset"] == "ud"
    assert {config[f"{name}_seed"] for name in ("random", "numpy", "pytorch")} == {3}


def test_the_svae_is_the_inflectors_run_and_wake_sleep():
    baseline = evaluated(ROOT / "training_config" / "reranked.jsonnet")
    svae = evaluated(ROOT / "training_config" / "svae.jsonnet")
    different = {name for name in svae if svae[name] != baseline.get(name)}
    assert different == {"dataset_reader", "model", "trainer", "vocabulary"}
    assert svae["model"]["inflector"] == baseline["model"]
    assert set(svae["model"]) == PARTS | {"type", "lemma_memory", "inflector_weight"}
    callback, *others = svae["trainer"].pop("callbacks")
    assert others == baseline["trainer"].pop("callbacks", [])
    assert svae["trainer"] == baseline["trainer"]
    goes_on = {name for name, part in callback["parts"].items() if part.get("warm_start")}
    assert goes_on == {"inflector", "tagger_lemmatizer"}
    assert callback["type"] == "wake_sleep"


@pytest.mark.parametrize(
    ("settings", "goes_on"),
    [
        ({}, True),
        ({"prior": False}, True),
        ({"tagger": "neural"}, False),
        ({"lemmatizer": "transducer"}, False),
    ],
    ids=str,
)
def test_wake_sleep_takes_the_mean_of_taggers_that_have_one(settings, goes_on):
    svae = evaluated(ROOT / "training_config" / "svae.jsonnet", **settings)
    part = svae["trainer"]["callbacks"][0]["parts"]["tagger_lemmatizer"]
    assert part.get("warm_start", False) is goes_on
    components = part["trainer"].get("components", {"tagger": part})
    (innermost,) = {"tagger", "tagger.tagger"} & set(components)
    trainer = components[innermost]["trainer"]
    restarts = [each for each in trainer["callbacks"] if each["type"] == "restarts"]
    assert [each.get("continued", False) for each in restarts] in ([goes_on], [])
    assert bool(restarts) is (settings.get("tagger") != "neural")


def test_soap_moves_the_matrices_of_encoder_and_decoder(tmp_path):
    config = evaluated(
        ROOT / "training_config" / "edit_transducer.jsonnet",
        treebank=str(ROOT / "fixtures" / "demo"),
    )
    run = {name: block for name, block in config.items() if not name.endswith("_seed")}
    made = TrainModel.from_params(Params(run), serialization_dir=str(tmp_path), local_rank=0)
    names = {value: name for name, value in made.model.named_parameters()}
    # AllenNLP takes a group whose expression fits no parameter.
    blocks = {
        names[value]: group["blocks"]
        for group in made.trainer.optimizer.param_groups
        for value in group["params"]
        if "blocks" in group
    }
    assert blocks == {
        name: 3 if "_l0" in name else 1
        for name, value in made.model.named_parameters()
        if name.startswith(("_networks.0._encoder.", "_networks.0._decoder.")) and value.dim() == 2
    }


def test_an_svae_is_not_given_a_second_inflector():
    with pytest.raises(RuntimeError, match="leave `asks_inflector` out"):
        evaluated(ROOT / "training_config" / "svae.jsonnet", asks_inflector=True)


@pytest.mark.parametrize(("inflector", "networks"), [("edit_transducer", 2), ("attentional", None)])
def test_an_svae_has_two_networks_of_the_inflector_that_can_have_them(inflector, networks):
    config = evaluated(ROOT / "training_config" / "svae.jsonnet", inflector=inflector)
    of_each = config["model"]["inflector"].get("networks")
    assert networks == (of_each and len(of_each))
    nested = config["trainer"]["callbacks"][0]["parts"]["inflector"]["trainer"]
    assert ("components" in nested) is ("components" in config["trainer"]) is (networks == 2)


def test_appendix_a():
    config = evaluated(ROOT / "training_config" / "paper" / "svae.jsonnet")
    callback, calibrate = config["trainer"]["callbacks"]
    assert calibrate == {"type": "calibrate"}
    assert (callback["iterations"], callback["gamma_sleep"], callback["gamma_wake"]) == (
        2,
        0.25,
        0.25,
    )
    assert (callback["temperature"], callback["annotation"]) == (0.75, "sample")
    model = config["model"]
    assert model["tag_lm"]["contextualizer"]["num_layers"] == 2
    assert model["tag_lm"]["contextualizer"]["hidden_size"] == 200
    assert model["lemma_lm"]["contextualizer"]["hidden_size"] == 50
    assert model["inflector"]["encoder"]["hidden_size"] == 100
    assert model["inflector"]["encoder"]["input_size"] == 200
    assert model["inflector"]["type"] == "inflector"
    assert model["inflector"]["decoder"]["dropout"] == 0.5
    assert model["inflector"]["beam_search"]["beam_size"] == 3
    trainers = {name: part["trainer"] for name, part in callback["parts"].items()}
    assert trainers["tag_lm"]["optimizer"] == {"type": "sgd", "lr": 20}
    assert (trainers["tag_lm"]["grad_norm"], trainers["tag_lm"]["num_epochs"]) == (0.25, 40)
    assert trainers["lemma_lm"]["optimizer"] == {"type": "sgd", "lr": 4, "weight_decay": 1e-6}
    updates = callback["parts"]["lemma_lm"]["batches"]["min_batches_per_epoch"]
    assert updates * trainers["lemma_lm"]["num_epochs"] == 10_000
    assert config["trainer"]["num_epochs"] == 250
    assert config["trainer"]["optimizer"] == {"type": "adadelta"}


def test_dev_as_train_with_further_text_and_without_prior(
    treebank, svae_config, tmp_path, monkeypatch
):
    monkeypatch.setenv("TREEBANK", str(treebank))
    text = tmp_path / "more.txt"
    text.write_text("Sana sanasta , sanoi sanoja .\n", encoding="utf-8")
    fields = {"dev_as_train": True, "labeled_tokens": 40, "tagset": "lossless", "prior": False}
    config = evaluated(svae_config, treebank=str(treebank), unlabeled=[str(text)], **fields)
    assert config["validation_data_path"] == f"{treebank}/dev#held_out"
    assert config["model"]["tagger_lemmatizer"]["type"] == "crf_tagger_lemmatizer"
    train_model(Params(config), str(tmp_path / "run"))
    annotated = list(
        read_sentences(str(tmp_path / "run/wake_sleep/iteration_1/annotated.conllu"), "lossless")
    )
    whole = list(read_sentences(f"{treebank}/dev"))
    labeled = list(read_sentences(f"{treebank}/dev#labeled", labeled_tokens=40, held_out=0.1))
    assert [each.forms for each in annotated[:-1]] == [
        each.forms for each in whole[len(labeled) : -1]
    ]
    assert annotated[-1].forms == text.read_text(encoding="utf-8").split()
    assert load_archive(str(tmp_path / "run")).dataset_reader.tagset == "lossless"


def test_one_file_is_labelled_but_for_its_last_tenth(treebank, tmp_path, allennlp):
    (source,) = treebank.glob("*-ud-dev.conllu")
    mine = tmp_path / "mine.conllu"
    mine.write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
    text = tmp_path / "text.txt"
    text.write_text("Tuntematontekstisana .\n", encoding="utf-8")
    fields = {"unlabeled": [str(text)], "labeled_tokens": None}
    archive = train_small(allennlp, tmp_path, "reranked", mine, **fields)
    sentences = list(read_sentences(str(mine)))
    config = load_archive(str(archive)).config
    held_out = list(read_sentences(config["validation_data_path"], held_out=0.1))
    assert held_out == sentences[-1:]
    words = (tmp_path / "run" / "vocabulary" / "attested_forms.txt").read_text(encoding="utf-8")
    assert "tuntematontekstisana" in words.casefold()
    labeled = list(read_sentences(config["train_data_path"], held_out=0.1))
    assert labeled == sentences[:-1]


def test_one_file_has_no_other_training_data(tmp_path):
    path = ROOT / "training_config" / "reranked.jsonnet"
    with pytest.raises(RuntimeError, match="leave dev_as_train:: out"):
        evaluated(path, treebank=str(tmp_path / "mine.conllu"), dev_as_train=False)


def test_what_is_set_for_a_component_of_a_component_reaches_model_and_trainer():
    path = ROOT / "training_config" / "tagger_with_inflector.jsonnet"
    components = """{
      'tagger.tagger.tagger'+: { model+: { order: 2 } },
      'tagger.tagger.lemmatizer'+: { hidden_size:: 7, trainer+: { num_epochs: 3 } },
    }"""
    config = evaluated(
        path, f"{{ parts+:: {{ tagger_lemmatizer+: {{ components+:: {components} }} }} }}"
    )
    assert config["model"]["tagger"]["type"] == "tagger_with_prior"
    tagger = config["model"]["tagger"]["tagger"]
    assert tagger["tagger"]["order"] == 2
    assert hidden_size(tagger["lemmatizer"]) == 7
    assert hidden_size(config["model"]["inflector"]) == 128
    assert config["trainer"]["components"]["tagger.tagger.lemmatizer"]["trainer"]["num_epochs"] == 3
    assert config["dataset_reader"]["transducers"] == ["lemmatizer", "inflector"]


def hidden_size(transducer):
    (network,) = transducer["networks"]
    return network["encoder"]["hidden_size"]


def test_networks_are_those_of_the_edit_transducer():
    with pytest.raises(RuntimeError, match="networks:: is for inflector:: 'edit_transducer'"):
        evaluated(ROOT / "training_config" / "reranked.jsonnet", inflector="ensemble")


@pytest.mark.parametrize(
    ("name", "fields", "said"),
    [
        ("edit_transducer", {"lexicon": "a.tsv"}, "lexicon:: is for a tagger-lemmatizer"),
        ("reranked", {"prior": True}, "prior:: is for a tagger-lemmatizer"),
        ("tag_lm", {"tagger": "neural"}, "tagger:: is for a tagger-lemmatizer"),
        ("neural_tagger_lemmatizer", {"lexicon": "a.tsv"}, "lexicon:: is for tagger:: 'crf'"),
        ("edit_transducer", {"unlabeled": ["a.txt"]}, "unlabeled:: is for configs that know"),
    ],
)
def test_a_field_that_would_be_without_effect_is_refused(name, fields, said):
    with pytest.raises(RuntimeError, match=said):
        evaluated(ROOT / "training_config" / f"{name}.jsonnet", **fields)


def test_a_component_that_there_is_none_of_is_refused():
    path = ROOT / "training_config" / "tagger_with_lemmatizer.jsonnet"
    body = "{ parts+:: { tagger_lemmatizer+: { components+:: { lemmatizer+: { hidden_size:: 7 } } } } }"
    with pytest.raises(RuntimeError, match=r"no component lemmatizer.*tagger.lemmatizer"):
        evaluated(path, body)


@pytest.mark.parametrize(
    ("name", "part", "said"),
    [
        ("svae", "inflecter+: {}", "no part inflecter; there are inflector, lemma_lm"),
        (
            "tagger_lemmatizer",
            "tagger_lemmatizer+: { ending_vector:: false }",
            r"no field ending_vector in parts\.tagger_lemmatizer; there are .*ending_vectors",
        ),
        ("reranked", "inflector+: { traner+: {} }", r"no field traner in parts\.inflector"),
        (
            "tagger_with_lemmatizer",
            "tagger_lemmatizer+: { components+:: { 'tagger.lemmatizer'+: { hidden:: 7 } } }",
            r"no field hidden in parts\.tagger_lemmatizer\.components\.tagger\.lemmatizer",
        ),
    ],
)
def test_what_a_part_has_no_use_for_is_refused(name, part, said):
    path = ROOT / "training_config" / f"{name}.jsonnet"
    with pytest.raises(RuntimeError, match=said):
        evaluated(path, f"{{ parts+:: {{ {part} }} }}")


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("labelled_tokens:: 50", "no field labelled_tokens:: here; there are .*labeled_tokens"),
        ("treebank:: null", "treebank:: is the path"),
        ("labeled_tokens:: '500'", "labeled_tokens:: is a whole number above 0"),
        ("labeled_tokens:: 0", "labeled_tokens:: is a whole number above 0"),
        ("unlabeled:: 'text.txt'", "unlabeled:: is a list"),
        ("lexicon:: 3", "lexicon:: is a path"),
        ("tagset:: 'UD'", "tagset:: is UD; it is one of paper, lossless, ud"),
        ("inflector:: 'transducer'", "inflector:: is transducer; it is one of edit_transducer"),
        ("tagger:: 'CRF'", "tagger:: is CRF; it is one of crf, neural"),
        ("lemmatizer:: 'rules'", "lemmatizer:: is rules; it is one of edit_trees"),
        ("word_weight:: -1", "word_weight:: is a number"),
        ("networks:: 0", "networks:: is a whole number above 0"),
        ("prior:: 'yes'", "prior:: is true or false"),
        ("asks_inflector:: 1", "asks_inflector:: is true or false"),
        ("dev_as_train:: 'dev'", "dev_as_train:: is true or false"),
        ("seed:: 'abc'", "seed:: is a whole number"),
    ],
)
def test_a_field_that_is_none_or_holds_what_it_cannot_is_named(field, said):
    config = json.dumps(str(ROOT / "training_config" / "svae.jsonnet"))
    with pytest.raises(RuntimeError, match=said):
        _jsonnet.evaluate_snippet("config", f"(import {config}) + {{ {field} }}")
