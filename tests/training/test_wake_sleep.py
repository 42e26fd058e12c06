import json
import multiprocessing
import os
import shutil
import signal
import time

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.models import load_archive
from allennlp.training import Checkpointer

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.sentence import Sentence, Triple, triples_of
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.treebank import read_sentences
from allennlp_svae.models.svae import StructuredVAE
from allennlp_svae.models.tagger_with_prior import TaggerWithPrior
from allennlp_svae.modules.json_state import json_from_tensor
from allennlp_svae.training import iteration_files, part_training
from allennlp_svae.training.wake_sleep import WakeSleep
from tests.configs import evaluated

LABELED_TOKENS = 120
SECONDS = 60
METRICS = {
    "tag_lm": {"perplexity"},
    "lemma_lm": {"bits_per_character"},
    "inflector": {"inflection_accuracy"},
    "tagger_lemmatizer": {"tag_accuracy", "lemma_accuracy", "joint_accuracy"},
}
# The prior has no likelihood of its own: its tagger has.
METRICS_OF_TAGGER = {
    "tagger_lemmatizer/components/tagger": METRICS["tagger_lemmatizer"] | {"log_likelihood"}
}


@pytest.fixture
def params(treebank, svae_config, monkeypatch):
    monkeypatch.setenv("TREEBANK", str(treebank))
    return lambda overrides="": Params.from_file(str(svae_config), overrides)


@pytest.fixture
def of_one_network(treebank, svae_config):
    """What the outer trainer then trains is the inflector itself."""
    return lambda body="{}": Params(
        evaluated(svae_config, body, treebank=str(treebank), networks=1)
    )


def weights_of(run):
    return load_archive(str(run)).model.state_dict()


def assert_same_weights(run, other):
    one, another = weights_of(run), weights_of(other)
    assert one.keys() == another.keys()
    assert [name for name in one if not torch.equal(one[name], another[name])] == []


def test_a_run_leaves_what_it_dreamed_annotated_and_measured(svae_run, treebank):
    first, second = (svae_run / "wake_sleep" / f"iteration_{number}" for number in (1, 2))
    assert not (first / "dreams.conllu").exists()
    labeled = list(read_sentences(f"{treebank}/train#labeled", labeled_tokens=LABELED_TOKENS))
    dreams = list(read_sentences(str(second / "dreams.conllu")))
    assert 0 < len(dreams) <= len(labeled)
    assert max(map(len, dreams)) <= max(map(len, labeled))
    unlabeled = list(read_sentences(f"{treebank}/train#unlabeled", labeled_tokens=LABELED_TOKENS))
    for folder in (first, second):
        annotated = list(read_sentences(str(folder / "annotated.conllu")))
        assert [each.forms for each in annotated] == [each.forms for each in unlabeled]
        assert all(token.lemma and token.tag for each in annotated for token in each.tokens)
        check_confident(folder, annotated)
        for part, names in {**METRICS, **METRICS_OF_TAGGER}.items():
            assert names <= json.loads((folder / part / "metrics.json").read_text()).keys()
    # Only the weights of a finished step are kept.
    assert {path.name for path in first.rglob("*.th")} == {"weights.th"}


def test_the_archive_knows_the_lemmas_of_the_last_annotation(svae_run, treebank):
    memory = load_archive(str(svae_run)).model.lemma_memory
    labeled = list(read_sentences(f"{treebank}/train#labeled", labeled_tokens=LABELED_TOKENS))
    annotated = list(read_sentences(f"{svae_run}/wake_sleep/iteration_2/annotated.conllu"))
    only_annotated = {(each.lemma, each.tag) for each in triples_of(annotated)} - {
        (each.lemma, each.tag) for each in triples_of(labeled)
    }
    assert only_annotated
    for lemma, tag in only_annotated:
        assert memory.prob(lemma, tag, 0.0) > 0.0
    # Most of a dream is known, though not all of it.
    dreams = list(triples_of(read_sentences(f"{svae_run}/wake_sleep/iteration_2/dreams.conllu")))
    known = [memory.prob(each.lemma, each.tag, 0.0) > 0.0 for each in dreams]
    assert len(known) / 2 < sum(known) < len(known)


def check_confident(folder, annotated):
    """What q is sure of is as annotated, and surer than the rest, of which there is some."""
    confident = list(read_sentences(str(folder / "confident.conllu")))
    assert [each.forms for each in confident] == [each.forms for each in annotated]
    pairs = [
        pair
        for found, each in zip(confident, annotated, strict=True)
        for pair in zip(found.tokens, each.tokens, strict=True)
    ]
    kept = [found == token for found, token in pairs]
    assert {
        found.tag for (found, _), was_kept in zip(pairs, kept, strict=True) if not was_kept
    } == {None}
    assert 0 < sum(kept) < len(kept)


def test_of_what_q_is_not_sure_the_inflector_learns_nothing(params, tmp_path, monkeypatch):
    def never_sure(q, instances, annotations):
        return [[1e-9] * len(each) for each in annotations]

    monkeypatch.setattr(TaggerWithPrior, "posteriors", never_sure)
    run = str(tmp_path / "run")
    train_model(params(), run)
    confident = read_sentences(f"{run}/wake_sleep/iteration_2/confident.conllu")
    assert not any(triples_of(confident))
    supervised = params('{"trainer.callbacks.0.gamma_wake": 0.0}')
    other = str(tmp_path / "other")
    train_model(supervised, other)
    for name, weights in weights_of(run).items():
        if name.startswith("inflector"):
            assert torch.equal(weights, weights_of(other)[name])


def test_where_there_is_no_dream_the_tagger_learns_from_what_is_labelled(
    params, tmp_path, monkeypatch
):
    monkeypatch.setattr(StructuredVAE, "dream", lambda *arguments, **options: [])
    run = tmp_path / "run"
    train_model(params('{"trainer.callbacks.0.gamma_wake": 0.0}'), str(run))
    second = run / "wake_sleep" / "iteration_2"
    assert (second / "dreams.conllu").read_text() == ""
    assert (second / "tagger_lemmatizer" / "weights.th").exists()


def test_of_a_sampled_lemma_that_is_empty_nothing_is_learned(params, tmp_path, monkeypatch):
    annotate = TaggerWithPrior.annotate

    def without_first_lemma(q, instances, how="best"):
        return [
            Sentence((first._replace(lemma=""), *others))
            for first, *others in (each.tokens for each in annotate(q, instances, how))
        ]

    monkeypatch.setattr(TaggerWithPrior, "annotate", without_first_lemma)
    monkeypatch.setattr(
        TaggerWithPrior, "posteriors", lambda q, _, each: [[1.0] * len(one) for one in each]
    )
    train_model(params('{"trainer.callbacks.0.iterations": 1}'), str(tmp_path / "run"))
    folder = tmp_path / "run" / "wake_sleep" / "iteration_1"
    annotated, confident = (
        list(read_sentences(str(folder / f"{name}.conllu"))) for name in ("annotated", "confident")
    )
    assert len(annotated) == len(confident) > 1
    for one, other in zip(annotated, confident, strict=True):
        assert (other.tokens[0].lemma, other.tokens[0].tag) == (None, None)
        assert other.tokens[1:] == one.tokens[1:]


def test_each_iteration_learns_every_part_again(svae_run):
    final = weights_of(svae_run)
    for part in METRICS:
        first = torch.load(svae_run / "wake_sleep" / "iteration_1" / part / "weights.th")
        assert any(not torch.equal(final[f"{part}.{name}"], first[name]) for name in first)


def test_rules_of_the_last_annotation_alone_are_kept(treebank, of_one_network, tmp_path):
    config = of_one_network()
    model = config["model"]
    components = [{"type": "affix_rules"}, model.pop("inflector").as_dict()]
    mixture = {"type": "inflection_mixture", "components": components, "weights": [0.1, 0.9]}
    model["inflector"] = mixture
    train_model(config, str(tmp_path / "run"))
    rules = load_archive(str(tmp_path / "run")).model.inflector.components[0]
    labeled = read_sentences(f"{treebank}/train#labeled", labeled_tokens=LABELED_TOKENS)
    first, second = (
        set(triples_of(read_sentences(f"{tmp_path}/run/wake_sleep/{name}/confident.conllu")))
        for name in ("iteration_1", "iteration_2")
    )
    learned = set(triples_of(labeled)) | second
    assert first - learned
    assert {
        Triple(form, lemma, MorphTag.parse(tag))
        for form, lemma, tag in json_from_tensor(rules.get_extra_state())
    } == learned


def test_the_annotation_of_unlabeled_data_is_never_read(svae_run, treebank, params, tmp_path):
    nonsense = tmp_path / "treebank"
    shutil.copytree(treebank, nonsense)
    (train,) = nonsense.glob("*-train.conllu")
    blocks = train.read_text(encoding="utf-8").strip("\n").split("\n\n")
    labeled = list(read_sentences(f"{treebank}/train#labeled", labeled_tokens=LABELED_TOKENS))
    spoiled = [spoil(block) for block in blocks[len(labeled) :]]
    assert spoiled
    train.write_text("\n\n".join(blocks[: len(labeled)] + spoiled) + "\n\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TREEBANK", str(nonsense))
        train_model(params(), str(tmp_path / "run"))
    assert_same_weights(svae_run, tmp_path / "run")


def spoil(block):
    rows = [line.split("\t") for line in block.splitlines()]
    for row in rows:
        if len(row) == 10:
            row[2:6] = ["nonsense", "N O;N", "_", "Case==;|"]
    return "\n".join("\t".join(row) for row in rows)


@pytest.mark.parametrize(
    ("iteration", "step"),
    [
        ("iteration_1", "tagger_lemmatizer/components/tagger"),
        ("iteration_1", "annotated"),
        ("iteration_1", "confident"),
        ("iteration_1", "lemma_lm"),
        ("iteration_1", "inflector/components/network_0"),
        ("iteration_2", "dreams"),
        ("iteration_2", "tagger_lemmatizer/components/tagger"),
        ("iteration_2", "tag_lm"),
        ("run", "components/network_1"),
    ],
)
def test_a_killed_run_recovers_to_the_same_weights(iteration, step, svae_run, params, tmp_path):
    assert_recovers(params, tmp_path / "run", iteration, step)
    assert_same_weights(svae_run, tmp_path / "run")


def test_so_does_one_that_was_killed_in_the_outer_trainer(of_one_network, tmp_path):
    train_model(of_one_network(), str(tmp_path / "whole"))
    assert_recovers(of_one_network, tmp_path / "run", "run", "")
    assert_same_weights(tmp_path / "whole", tmp_path / "run")


def test_a_checkpoint_within_the_outer_trainers_first_epoch_is_taken_up(
    of_one_network, tmp_path, monkeypatch
):
    checkpoints = "{ trainer+: { checkpointer: { save_every_num_batches: 1 } } }"
    run = str(tmp_path / "run")
    save = Checkpointer.save_checkpoint

    def save_and_die(checkpointer, trainer):
        save(checkpointer, trainer)
        if checkpointer._serialization_dir == run and trainer._batches_in_epoch_completed == 2:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Checkpointer, "save_checkpoint", save_and_die)
        with pytest.raises(KeyboardInterrupt):
            train_model(of_one_network(checkpoints), run)
    saved = torch.load(f"{run}/model_state_e0_b2.th")
    found = {}
    hand_over = WakeSleep._hand_over

    def look(wake_sleep, trainer):
        found.update({name: each.clone() for name, each in trainer.model.state_dict().items()})
        hand_over(wake_sleep, trainer)

    monkeypatch.setattr(WakeSleep, "_hand_over", look)
    train_model(of_one_network(checkpoints), run, recover=True)
    assert [name for name in saved if not torch.equal(saved[name], found[name])] == []


def assert_recovers(params, folder, iteration, step):
    run = str(folder)
    process = multiprocessing.get_context("fork").Process(
        target=train_until_killed, args=(params(), run, iteration, step)
    )
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert not os.path.exists(os.path.join(run, "model.tar.gz"))
    train_model(params(), run, recover=True)


def train_until_killed(config, run, iteration, step):
    """Trains in a process that is killed in the middle of the named step."""
    trainer = os.getpid()
    meant = os.path.join(iteration, step) if step else iteration

    def die():
        os.kill(trainer, signal.SIGKILL)
        # A component's process, which ends with that of the trainer.
        time.sleep(SECONDS)

    def is_meant(path):
        return path.endswith(meant)

    write, train_epoch = (
        iteration_files.write_sentences,
        part_training.GradientDescentTrainer._train_epoch,
    )

    def write_half(file, sentences, tagset):
        if is_meant(file.name.removesuffix(".conllu.unfinished")):
            write(file, sentences[: len(sentences) // 2], tagset)
            file.flush()
            die()
        write(file, sentences, tagset)

    def die_in_second_epoch(trainer, epoch):
        folder = trainer._serialization_dir
        if epoch == 1 and is_meant(folder):
            die()
        return train_epoch(trainer, epoch)

    # In a process of its own, which ends by its own hand: nothing to undo.
    iteration_files.write_sentences = write_half
    part_training.GradientDescentTrainer._train_epoch = die_in_second_epoch
    train_model(config, run)


def test_a_treebank_without_raw_text_is_refused_with_a_remedy(params, tmp_path):
    everything = params('{"dataset_reader.labeled_tokens": null}')
    with pytest.raises(DataError, match=r"raw text.*Remedy"):
        train_model(everything, str(tmp_path / "run"))


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("iterations", 0),
        ("gamma_sleep", -0.25),
        ("gamma_wake", -0.25),
        ("annotation", "bset"),
        ("min_confidence", 90),
        ("temperature", 0.0),
    ],
)
def test_wrong_settings_are_refused(setting, value, params, tmp_path):
    wrong = params(json.dumps({f"trainer.callbacks.0.{setting}": value}))
    with pytest.raises(ConfigurationError, match=setting):
        train_model(wrong, str(tmp_path / "run"))
