import pytest

from allennlp_svae.commands.compare import table
from allennlp_svae.data.errors import DataError
from tests.small_runs import train_small


def test_compare_prints_a_row_for_each_run(svae_run, allennlp, treebank, capsys):
    (test,) = treebank.glob("*-test.conllu")
    allennlp("compare", test, f"SVAE={svae_run}", f"again={svae_run / 'model.tar.gz'}")
    heading, first, second = capsys.readouterr().out.strip("\n").splitlines()[-3:]
    assert heading.split() == ["inflection", "tag", "lemma", "tag+lemma"]
    name, *figures = first.split()
    assert name == "SVAE"
    assert len(figures) == 4
    assert all(0.0 <= float(figure) <= 100.0 for figure in figures)
    assert second.split() == ["again", *figures]


def test_different_tagsets_are_told(svae_run, allennlp, treebank, capsys, tmp_path):
    (test,) = treebank.glob("*-test.conllu")
    other = train_small(allennlp, tmp_path, "fst", treebank, tagset="ud")
    allennlp("compare", test, f"A={svae_run}", f"B={other}")
    assert "tags are not the same (A paper, B ud)" in capsys.readouterr().out
    allennlp("compare", test, f"A={svae_run}", f"B={svae_run}")
    assert "not the same" not in capsys.readouterr().out


def test_a_damaged_archive_is_named(svae_run, allennlp, tmp_path):
    whole = (svae_run / "model.tar.gz").read_bytes()
    damaged = tmp_path / "model.tar.gz"
    damaged.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"model\.tar\.gz.*not whole.*Remedy: copy it again"):
        allennlp("compare", tmp_path / "test.conllu", damaged)


def test_a_missing_archive_is_named(allennlp, tmp_path):
    with pytest.raises(DataError, match=r"nowhere.*no such archive.*Remedy"):
        allennlp("compare", tmp_path / "test.conllu", f"NN={tmp_path / 'nowhere'}")


def test_an_unfinished_run_is_no_archive(allennlp, tmp_path):
    (tmp_path / "run").mkdir()
    with pytest.raises(DataError, match=r"run.*no archive.*Remedy"):
        allennlp("compare", tmp_path / "test.conllu", tmp_path / "run")


def test_a_path_may_hold_the_sign_that_follows_a_name(
    svae_run, allennlp, treebank, capsys, tmp_path
):
    (test,) = treebank.glob("*-test.conllu")
    (tmp_path / "seed=1").symlink_to(svae_run)
    allennlp("compare", test, tmp_path / "seed=1", f"named={tmp_path / 'seed=1'}")
    rows = capsys.readouterr().out.strip("\n").splitlines()[-2:]
    assert [row.split()[0] for row in rows] == [str(tmp_path / "seed=1"), "named"]


def test_a_figure_that_is_missing_is_a_dash():
    lines = table([("NN", {"inflection": 0.5}), ("SVAE", {"inflection": 1.0, "tag": 0.25})])
    assert [line.split() for line in lines.splitlines()[1:]] == [
        ["NN", "50.0", "-", "-", "-"],
        ["SVAE", "100.0", "25.0", "-", "-"],
    ]
