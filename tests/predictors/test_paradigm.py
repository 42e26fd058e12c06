import json
from pathlib import Path
from typing import Dict, List, Tuple

import pytest
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.predictors import Predictor

from allennlp_svae.data.errors import DataError
from allennlp_svae.predictors.inflect import InflectPredictor
from allennlp_svae.predictors.paradigm import ParadigmPredictor
from tests.inflection_toy import config, inflector_params, write_tsv

NOUNS = {"N;ACC;SG": "kon", "N;NOM;PL": "koto", "N;NOM;SG": "ko"}


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, str]:
    folder = tmp_path_factory.mktemp("paradigm")
    tsv = write_tsv(folder / "toy.tsv")
    for name, model in [("rules", {"type": "affix_rules"}), ("inflector", inflector_params())]:
        train_model(Params(config(tsv, model)), str(folder / name))
    return {name: str(folder / name / "model.tar.gz") for name in ("rules", "inflector")}


@pytest.fixture
def rules(archives: Dict[str, str]) -> Predictor:
    return Predictor.from_path(archives["rules"], "paradigm")


def cells(output: Dict[str, List[Dict[str, str]]]) -> List[Tuple[str, str]]:
    return [(cell["tag"], cell["form"]) for cell in output["paradigm"]]


@pytest.mark.parametrize(
    ("asked", "tags"),
    [
        ("N", list(NOUNS)),
        ("N;SG", ["N;ACC;SG", "N;NOM;SG"]),
        ("SG;N;NOM", ["N;NOM;SG"]),
        # Of any part of speech.
        ("NOM", ["N;NOM;PL", "N;NOM;SG", "PROPN;NOM;SG"]),
    ],
)
def test_it_holds_the_tags_that_have_all_that_is_asked_for(
    rules: Predictor, asked: str, tags: List[str]
) -> None:
    output = rules.predict_json({"lemma": "sa", "tag": asked})
    assert (output["lemma"], output["tag"]) == ("sa", asked)
    assert [tag for tag, _ in cells(output)] == tags


def test_a_known_paradigm_is_filled_in(rules: Predictor) -> None:
    assert dict(cells(rules.predict_json({"lemma": "ko", "tag": "N"}))) == NOUNS


def test_each_cell_is_what_inflect_answers(archives: Dict[str, str]) -> None:
    paradigm = Predictor.from_path(archives["inflector"], "paradigm")
    inflect = Predictor.from_path(archives["inflector"], "inflect")
    assert isinstance(paradigm, ParadigmPredictor)
    assert isinstance(inflect, InflectPredictor)
    outputs = paradigm.predict_batch_json(
        [{"lemma": "ko", "tag": "V"}, {"lemma": "sali", "tag": "N"}]
    )
    assert [len(output["paradigm"]) for output in outputs] == [1, 3]
    for output in outputs:
        for cell in output["paradigm"]:
            answer = inflect.predict_json({"lemma": output["lemma"], "tag": cell["tag"]})
            assert cell["form"] == answer["form"]
            for name in ("log_prob", "confidence"):
                assert cell[name] == pytest.approx(answer[name], rel=1e-4)
            # This archive knows no words but those it was trained on.
            assert "attested" not in cell


@pytest.mark.parametrize(
    ("tag", "said"),
    [
        ("N;DU", "all of N;DU.*part of speech \\(N, PROPN, V\\)"),
        ("ADJ", "all of ADJ"),
        ("n;sg", "all of n;sg. For 'n' it has 'N'. For 'sg' it has 'SG'."),
        ("_", "all of _"),
        ("N;;SG", "empty item"),
    ],
)
def test_what_has_no_cell_is_refused(rules: Predictor, tag: str, said: str) -> None:
    with pytest.raises(DataError, match=said) as raised:
        rules.predict_json({"lemma": "ko", "tag": tag})
    assert raised.value.remedy


def test_a_unimorph_file_comes_out_as_paradigms(
    archives: Dict[str, str], allennlp, tmp_path: Path
) -> None:
    source, output = tmp_path / "asked.tsv", tmp_path / "paradigms.tsv"
    source.write_text("ko\t\tN\nsali\tN;ACC\n", encoding="utf-8")
    options = ["--predictor", "paradigm", "--use-dataset-reader", "--silent", "--batch-size", "2"]
    allennlp("predict", archives["rules"], source, "--output-file", output, *options)
    nouns = [f"ko\t{form}\t{tag}" for tag, form in NOUNS.items()]
    expected = [*nouns, "", "sali\tsalin\tN;ACC;SG", "", ""]
    assert output.read_text(encoding="utf-8") == "\n".join(expected)


def test_what_has_no_cell_is_passed_over_in_a_file(
    archives: Dict[str, str], allennlp, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source, output = tmp_path / "asked.tsv", tmp_path / "paradigms.tsv"
    source.write_text("ko\tN;DU\nsali\tN;ACC\n", encoding="utf-8")
    options = ["--predictor", "paradigm", "--use-dataset-reader", "--silent"]
    allennlp("predict", archives["rules"], source, "--output-file", output, *options)
    assert output.read_text(encoding="utf-8") == "\nsali\tsalin\tN;ACC;SG\n\n"
    assert any("all of N;DU" in message for message in caplog.messages)


def test_an_archive_of_a_treebank_tells_which_forms_are_attested(
    svae_run: Path, allennlp, tmp_path: Path
) -> None:
    words = (svae_run / "vocabulary" / "attested_forms.txt").read_text(encoding="utf-8").split("\n")
    source, output = tmp_path / "asked.jsonl", tmp_path / "out.jsonl"
    asked = [json.dumps({"lemma": word, "tag": "N"}) for word in ("talo", *words[1:20])]
    source.write_text("\n".join(asked) + "\n", encoding="utf-8")
    allennlp(
        "predict", svae_run / "model.tar.gz", source, "--predictor", "paradigm", "--output-file",
        output, "--silent", "--batch-size", "20",
    )  # fmt: skip
    found = [
        cell
        for line in output.read_text(encoding="utf-8").splitlines()
        for cell in json.loads(line)["paradigm"]
    ]
    assert found
    assert [cell["attested"] for cell in found] == [cell["form"] in words for cell in found]
    assert len({cell["attested"] for cell in found}) == 2
