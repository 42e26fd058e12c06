import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_svae.commands.compare import table


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


def test_a_missing_archive_is_named(allennlp, tmp_path):
    with pytest.raises(ConfigurationError, match="nowhere"):
        allennlp("compare", tmp_path / "test.conllu", f"NN={tmp_path / 'nowhere'}")


def test_a_figure_that_is_missing_is_a_dash():
    lines = table([("NN", {"inflection": 0.5}), ("SVAE", {"inflection": 1.0, "tag": 0.25})])
    assert [line.split() for line in lines.splitlines()[1:]] == [
        ["NN", "50.0", "-", "-", "-"],
        ["SVAE", "100.0", "25.0", "-", "-"],
    ]
