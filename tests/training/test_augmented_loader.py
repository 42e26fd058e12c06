import json
from itertools import islice

import pytest
import torch
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader, Vocabulary
from allennlp.data.samplers import BucketBatchSampler
from allennlp.models import load_archive
from allennlp.training import GradientDescentTrainer

from allennlp_svae.commands.compare import evaluate_parts
from allennlp_svae.data.augmentation import COPY_TAG
from allennlp_svae.dataset_readers.inflections import InflectionsReader
from allennlp_svae.dataset_readers.lemmas import LemmasReader
from allennlp_svae.training.augmented_loader import AugmentedLoader
from allennlp_svae.training.vocabulary import TreebankVocabulary
from tests.configs import evaluated
from tests.conftest import ROOT

MASSES = ("hallucinated", "analogies", "citations", "copies")


@pytest.fixture
def labeled(treebank):
    return f"{treebank}/train#labeled"


def loader(path, vocab=None, **options):
    options.setdefault("batches_per_epoch", 12)
    sampler = BucketBatchSampler(batch_size=8, sorting_keys=["form"])
    reader = InflectionsReader(labeled_tokens=150)
    made = AugmentedLoader(reader, path, sampler, **options)
    made.index_with(vocab or Vocabulary.from_instances(made.iter_instances()))
    return made


def strings(batches):
    return [
        [(one["lemma"], one["form"], one["tag"]) for one in batch["metadata"]] for batch in batches
    ]


def one_pass(path, **options):
    """(lemma, form, tag) → weight of all instances of the first pass; the labelled ones come apart."""
    made = loader(path, **options)
    read = {key for batch in plain(made) for key in batch}
    labeled, others = {}, {}
    for batch in islice(made._passes(), made.batch_sampler.get_num_batches(made._augmented(0))):
        for one, weight in zip(batch["metadata"], batch["weight"].tolist(), strict=True):
            key = one["lemma"], one["form"], one["tag"]
            target = labeled if key in read else others
            target[key] = target.get(key, 0.0) + weight
    assert set(labeled) == read
    return labeled, others


def plain(data_loader):
    with torch.no_grad():
        return strings(data_loader)


@pytest.mark.parametrize("name", MASSES)
def test_each_kind_has_its_mass_beside_the_labelled(labeled, name):
    read, made = one_pass(labeled, **{name: 0.5})
    assert made
    assert sum(made.values()) == pytest.approx(0.5 * sum(read.values()), rel=1e-5)


def test_masses_add_up_beside_labeled_weights_of_mean_one(labeled):
    read, made = one_pass(labeled, hallucinated=0.5, copies=0.25)
    copied = {key: weight for key, weight in made.items() if key[2] == str(COPY_TAG)}
    assert sum(copied.values()) == pytest.approx(0.25 * sum(read.values()), rel=1e-5)
    assert sum(made.values()) == pytest.approx(0.75 * sum(read.values()), rel=1e-5)
    assert sum(read.values()) / len(read) == pytest.approx(1.0, rel=1e-5)


def test_nothing_is_added_unless_asked_for(labeled):
    _, made = one_pass(labeled)
    assert made == {}


def test_each_pass_is_made_anew(labeled):
    made = loader(labeled, hallucinated=1.0)
    first, second = ({str(i["metadata"]) for i in made._augmented(n)} for n in (0, 1))
    assert first != second


def test_epochs_depend_on_the_seed_and_their_number_alone(labeled):
    options = {"hallucinated": 0.5, "copies": 0.5, "tag_dropout": 0.2}
    first, second = loader(labeled, **options), loader(labeled, **options)
    torch.manual_seed(1)
    one = [strings(first), torch.rand(1).item(), strings(first)]
    torch.manual_seed(2)
    other = [strings(second), torch.rand(1).item(), strings(second)]
    assert one == other
    assert one[0] != one[2]
    assert strings(loader(labeled, seed=1, **options)) != one[0]


def test_what_is_made_depends_on_the_seed(labeled):
    made = [one_pass(labeled, hallucinated=0.5, seed=seed)[1].keys() for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]


def test_epochs_cut_a_stream_of_passes(labeled):
    made = loader(labeled, hallucinated=0.5, batches_per_epoch=5)
    batches = [batch for _ in range(6) for batch in strings(made)]
    assert len(made) == 5
    assert batches == strings(islice(loader(labeled, hallucinated=0.5)._passes(), 30))
    by_pass = loader(labeled, hallucinated=0.5, batches_per_epoch=None)
    assert len(strings(by_pass)) == len(by_pass) == len(plain(by_pass))


def test_validation_sees_what_was_read_once(labeled):
    made = loader(labeled, hallucinated=1.0, copies=1.0, tag_dropout=0.5)
    strings(made)
    seen = [key for batch in plain(made) for key in batch]
    read = [
        tuple(instance["metadata"][name] for name in ("lemma", "form", "tag"))
        for instance in made.iter_instances()
    ]
    assert sorted(seen) == sorted(read)
    with torch.no_grad():
        assert len(made) == len(plain(made))


def test_features_are_left_out_of_tags_and_parts_of_speech_are_not(labeled):
    made = loader(labeled, tag_dropout=0.5)
    tags = {key[2] for batch in plain(made) for key in batch}
    dropped = {key[2] for batch in strings(made) for key in batch} - tags
    assert dropped
    assert {tag.split(";")[0] for tag in dropped} <= {tag.split(";")[0] for tag in tags}


def test_words_of_the_raw_text_are_used(labeled, tmp_path):
    raw = tmp_path / "raw.txt"
    raw.write_text("žalžal žalžal qöq\n", encoding="utf-8")
    vocab = TreebankVocabulary.from_treebank(
        [], InflectionsReader(labeled_tokens=150), labeled, [f"{raw}#raw"]
    )
    instances = loader(labeled, vocab, copies=20.0)._augmented(0)
    copied = {instance["metadata"]["lemma"] for instance in instances}
    assert {"žalžal", "qöq"} <= copied
    assert not any("@@" in word for word in copied)


def config(treebank, **data_loader):
    fields = {"treebank": str(treebank), "labeled_tokens": 120}
    changes = {
        "data_loader+": {"type": "augmented", "batches_per_epoch": 12, **data_loader},
        "trainer+": {"num_epochs": 3},
    }
    body = ", ".join(f"{name}: {json.dumps(value)}" for name, value in changes.items())
    body = body.replace('"+', "+")
    path = ROOT / "training_config" / "edit_transducer.jsonnet"
    return evaluated(path, f"{{ {body} }}", **fields)


EVERYTHING = {**dict.fromkeys(MASSES, 0.5), "tag_dropout": 0.1}


@pytest.fixture(scope="module")
def run(tmp_path_factory, allennlp, treebank):
    folder = tmp_path_factory.mktemp("augmented")
    path = folder / "config.json"
    path.write_text(json.dumps(config(treebank, **EVERYTHING)), encoding="utf-8")
    allennlp("train", path, "-s", folder / "run")
    return folder / "run"


def test_allennlp_train_on_augmented_data(run, treebank):
    archive = load_archive(run)
    assert evaluate_parts(archive, f"{treebank}/dev")["inflection"] > 0.0
    vocab = archive.model.vocab
    read = Vocabulary.from_instances(
        InflectionsReader(labeled_tokens=120).read(f"{treebank}/train#labeled")
    )
    for namespace in ("characters", "tag_parts", "lemmas", "morphology"):
        assert set(vocab.get_token_to_index_vocabulary(namespace)) == set(
            read.get_token_to_index_vocabulary(namespace)
        )


def test_a_recovered_run_ends_with_the_same_weights(run, treebank, tmp_path):
    folder = str(tmp_path / "run")
    train_epoch = GradientDescentTrainer._train_epoch

    def stop_in_second(trainer, number):
        if number == 1:
            raise KeyboardInterrupt
        return train_epoch(trainer, number)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GradientDescentTrainer, "_train_epoch", stop_in_second)
        with pytest.raises(KeyboardInterrupt):
            train_model(Params(config(treebank, **EVERYTHING)), folder)
    train_model(Params(config(treebank, **EVERYTHING)), folder, recover=True)
    expected = load_archive(run).model.state_dict()
    for name, weight in load_archive(folder).model.state_dict().items():
        assert torch.equal(weight, expected[name]), name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hallucinated": -0.5}, "`hallucinated`"),
        ({"copies": float("nan")}, "`copies`"),
        ({"tag_dropout": 1.0}, "`tag_dropout`"),
        ({"batches_per_epoch": 0}, "`batches_per_epoch`"),
    ],
)
def test_an_option_out_of_its_range_is_refused(labeled, options, message):
    with pytest.raises(ConfigurationError, match=message):
        loader(labeled, **options)


def test_only_inflections_are_augmented(labeled):
    params = Params({"type": "augmented", "batch_sampler": {"type": "bucket", "batch_size": 8}})
    with pytest.raises(ConfigurationError, match="`inflections`"):
        DataLoader.from_params(params, reader=LemmasReader(), data_path=labeled)
