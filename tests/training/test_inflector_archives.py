import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import load_archive

from allennlp_svae.data.errors import DataError
from allennlp_svae.models.archived_inflector import ArchivedInflector
from allennlp_svae.training.inflector_archives import InflectorArchives, load_inflector
from tests.small_runs import train_small


@pytest.fixture(scope="module")
def rules(tmp_path_factory, allennlp, treebank):
    return train_small(allennlp, tmp_path_factory.mktemp("rules"), "fst", treebank)


def test_of_an_svae_it_is_the_inflector(svae_run):
    found = load_inflector(str(svae_run / "model.tar.gz"), "paper")
    archive = load_archive(svae_run / "model.tar.gz")
    assert found.model.state_dict().keys() == archive.model.inflector.state_dict().keys()
    assert found.blueprint.model["type"] == "edit_transducer"
    assert found.blueprint.reader["type"] == "inflections"


@pytest.mark.parametrize("exists", [False, True])
def test_what_is_no_archive_is_named(exists, tmp_path):
    path = tmp_path / "model.tar.gz"
    if exists:
        path.write_text("no archive", encoding="utf-8")
    with pytest.raises(
        DataError, match=r"model\.tar\.gz: (There is no such|This is no) archive.*Remedy"
    ):
        load_inflector(str(path), "paper")


def test_an_archive_without_an_inflector_is_named(tmp_path, allennlp, treebank):
    path = train_small(allennlp, tmp_path, "tag_lm", treebank)
    with pytest.raises(DataError, match=r"model\.tar\.gz: .* has no inflector.*Remedy"):
        load_inflector(str(path), "paper")


def test_an_archive_of_another_tagset_is_named(rules):
    with pytest.raises(DataError, match=r"model\.tar\.gz: .*'paper'.*'ud'.*Remedy"):
        load_inflector(str(rules), "ud")


@pytest.mark.parametrize("count", [0, 1, 3])
def test_there_is_one_archive_for_each(count, rules):
    empty = [ArchivedInflector(Vocabulary()) for _ in range(2)]
    with pytest.raises(ConfigurationError, match="2 archived_inflectors and"):
        InflectorArchives([str(rules)] * count)(empty)
