"""Distillation by the command line, and what the student is given."""

import math
from collections import defaultdict

import pytest
import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DataLoader
from allennlp.models import load_archive

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.inflections import InflectionsReader
from allennlp_svae.dataset_readers.lemmas import LemmasReader
from allennlp_svae.dataset_readers.treebank_reader import weight_of
from allennlp_svae.models.archived_inflector import strings_of
from tests.small_runs import train_small

NEW_PAIRS = 30
# So little that some of what the network alone proposes counts.
MIN_RATIO = 1e-9


@pytest.fixture(scope="module")
def teacher(tmp_path_factory, allennlp, treebank):
    """An ensemble of rules, which are sure, and a network that is not."""
    folder = tmp_path_factory.mktemp("teacher")
    parts = [
        train_small(allennlp, folder / config, config, treebank)
        for config in ("fst", "edit_transducer")
    ]
    return train_small(
        allennlp,
        folder / "ensemble",
        "ensemble_of_archives",
        treebank,
        archives=list(map(str, parts)),
        weights=[2, 3],
    )


@pytest.fixture
def labeled(treebank):
    return list(_reader().read(f"{treebank}/train#labeled"))


@pytest.fixture
def load(teacher, treebank):
    def call(reader=None, **options):
        params = {
            "type": "distilled",
            "teacher": str(teacher),
            "batch_sampler": {"type": "bucket", "batch_size": 16},
            "new_pairs": NEW_PAIRS,
            **options,
        }
        return DataLoader.from_params(
            Params(params), reader=reader or _reader(), data_path=f"{treebank}/train#labeled"
        )

    return call


def _reader():
    return InflectionsReader(labeled_tokens=120, count_power=0.5)


def _taught(loader, labeled):
    """The weights of the teacher's forms by lemma and tag."""
    forms = defaultdict(dict)
    for instance in list(loader.iter_instances())[len(labeled) :]:
        strings = strings_of(instance)
        forms[strings["lemma"], strings["tag"]][strings["form"]] = weight_of(instance)
    return forms


def test_first_come_the_labeled_and_the_masses_are_as_gamma_says(load, labeled):
    instances = list(load(gamma=0.5).iter_instances())
    weights = list(map(weight_of, instances))
    known, taught = weights[: len(labeled)], weights[len(labeled) :]
    assert list(map(strings_of, instances[: len(labeled)])) == list(map(strings_of, labeled))
    assert sum(taught) / sum(known) == pytest.approx(0.5, rel=1e-4)
    assert sum(known) / len(known) == pytest.approx(1.0, rel=1e-4)


def test_forms_are_weighted_by_the_teachers_probability(load, labeled, teacher):
    forms = _taught(load(num_forms=3, min_ratio=MIN_RATIO), labeled)
    model = load_archive(teacher).model
    pairs = list(forms)
    asked = [_reader().text_to_instance(lemma, MorphTag.parse(tag)) for lemma, tag in pairs]
    expected = {
        pair: {
            form: math.exp(score)
            for form, score in found
            if score >= found[0][1] + math.log(MIN_RATIO)
        }
        for pair, found in zip(pairs, model.inflect(asked, 3), strict=True)
    }
    # Some have forms that are left out, and some have several.
    assert 1 <= min(map(len, expected.values())) < max(map(len, expected.values()))
    # All of them scaled alike.
    first = pairs[0]
    scale = sum(forms[first].values()) / sum(expected[first].values())
    for pair in pairs:
        assert forms[pair] == pytest.approx(
            {form: scale * prob for form, prob in expected[pair].items()}, rel=1e-3
        )


def test_there_are_as_many_new_pairs_as_wanted(load, labeled):
    known = {(one["lemma"], one["tag"]) for one in map(strings_of, labeled)}
    options = {"num_forms": 1, "min_ratio": 1.0}
    assert _taught(load(new_pairs=0, **options), labeled).keys() == known
    more = _taught(load(**options), labeled).keys()
    assert len(more - known) == NEW_PAIRS
    assert _taught(load(**options), labeled).keys() == more
    assert _taught(load(seed=5, **options), labeled).keys() != more


def test_drawn_forms_are_weighted_by_how_often_they_came(load, labeled):
    torch.manual_seed(1)
    forms = _taught(load(sampled=True, num_forms=4), labeled)
    after = torch.rand(1)
    masses = [sum(weights.values()) for weights in forms.values()]
    assert masses == pytest.approx([masses[0]] * len(masses), rel=1e-4)
    quarters = {
        round(4 * weight / masses[0], 3) for one in forms.values() for weight in one.values()
    }
    assert {1.0, 2.0} <= quarters <= {1.0, 2.0, 3.0, 4.0}
    # They hang on the loader's seed alone, and nothing else hangs on them.
    torch.manual_seed(1)
    assert torch.rand(1) == after
    assert _taught(load(sampled=True, num_forms=4), labeled) == forms
    assert _taught(load(sampled=True, num_forms=4, seed=5), labeled) != forms


@pytest.mark.parametrize("wrong", [{"num_forms": 0}, {"new_pairs": -1}, {"gamma": 0.0}])
def test_impossible_numbers_are_refused(wrong, load):
    with pytest.raises(ConfigurationError, match="above 0"):
        load(**wrong)


def test_another_reader_or_tagset_is_refused(load):
    with pytest.raises(ConfigurationError, match="`inflections` reader"):
        load(LemmasReader())
    with pytest.raises(DataError, match=r"model\.tar\.gz: .*'paper'.*'ud'.*Remedy"):
        load(InflectionsReader(tagset="ud", labeled_tokens=120))


def test_the_student_stands_alone_and_is_validated_on_dev(
    teacher, allennlp, treebank, tmp_path, load, labeled
):
    student = train_small(
        allennlp, tmp_path, "distilled", treebank, teacher=str(teacher), new_pairs=NEW_PAIRS
    )
    teacher.rename(teacher.with_name("gone"))
    try:
        archive = load_archive(student)
    finally:
        teacher.with_name("gone").rename(teacher)
    # Seen is what the data say, not what the teacher was asked.
    vocab = archive.model.vocab
    assert vocab.get_token_to_index_vocabulary("lemmas").keys() - {
        "@@PADDING@@",
        "@@UNKNOWN@@",
    } == {strings_of(instance)["lemma"] for instance in labeled}
    allennlp("evaluate", student, f"{treebank}/dev", "--output-file", tmp_path / "metrics.json")
    measured = Params.from_file(str(tmp_path / "metrics.json")).as_dict()
    best = Params.from_file(str(tmp_path / "run" / "metrics.json")).as_dict()
    name = "inflection_accuracy"
    assert measured[name] == pytest.approx(best[f"best_validation_{name}"])
