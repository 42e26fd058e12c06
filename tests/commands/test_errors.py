import csv
import json

import pytest
from allennlp.common.checks import ConfigurationError

from allennlp_svae.data.errors import DataError
from tests.conftest import ROOT
from tests.inflection_toy import config, inflector_params, write_config

# Two nouns and how they end: what the rules learn is stem + `ler` and stem + `de`.
TRAINING = "ev\tevler\tN;PL\nel\teller\tN;PL\nev\tevde\tN;ESS\nİzmir\tİzmir'de\tPROPN;ESS\n"
ASKED = """\
ev	evler	N;PL
ev	evler	N;PL
kedi	kediler	N;PL
kedi	Kediler	N;PL
ev	ev	N;SG
ızgara	IZGARALAR	N;PL
ev		N;ESS
ev	N;ESS
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory, allennlp):
    """A run of training_config/fst.jsonnet."""
    folder = tmp_path_factory.mktemp("errors")
    train = folder / "train.tsv"
    train.write_text(TRAINING, encoding="utf-8")
    paths = json.dumps({"train_data_path": str(train), "validation_data_path": str(train)})
    allennlp("train", ROOT / "training_config" / "fst.jsonnet", "-s", folder / "run", "-o", paths)
    return folder / "run"


@pytest.fixture
def asked(tmp_path):
    path = tmp_path / "asked.tsv"
    path.write_text(ASKED, encoding="utf-8")
    return path


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def table_of(captured):
    """From the name of each group to its figures; names are unique but for the distances."""
    rows = [line.rsplit(maxsplit=4) for line in captured.out.splitlines() if line[:2] == "  "]
    return {name.strip(): figures for name, *figures in rows}


def test_distinct_triples_that_have_a_form_are_counted(run, asked, allennlp, capsys, tmp_path):
    found = tmp_path / "found.tsv"
    allennlp("errors", run / "model.tar.gz", asked, "--output", found)
    groups = table_of(capsys.readouterr())
    assert groups["all"] == ["5", "100.0", "60.0", "100.0"]
    assert groups["seen tag, seen lemma"] == ["1", "20.0", "100.0", "0.0"]
    assert groups["seen tag, unseen lemma"] == ["3", "60.0", "33.3", "100.0"]
    assert groups["unseen tag, seen lemma"] == ["1", "20.0", "100.0", "0.0"]
    assert groups["unseen tag, unseen lemma"] == ["0", "0.0", "-", "0.0"]
    assert groups["the lemma's"] == ["3", "60.0", "100.0", "0.0"]
    assert groups["capitalised, lemma lower-case"] == ["1", "20.0", "0.0", "50.0"]
    assert groups["other"] == ["1", "20.0", "0.0", "50.0"]
    assert groups["right but for case"] == ["1", "20.0", "-", "50.0"]
    assert groups["wrong in other ways"] == ["1", "20.0", "-", "50.0"]
    assert groups["N"] == ["5", "100.0", "60.0", "100.0"]
    rows = rows_of(found)
    assert [(row["gold"], row["predicted"]) for row in rows] == [
        ("evler", "evler"),
        ("kediler", "kediler"),
        ("Kediler", "kediler"),
        ("ev", "ev"),
        ("IZGARALAR", "ızgaraler"),
    ]
    assert rows[2] == {
        "lemma": "kedi",
        "tag": "N;PL",
        "gold": "Kediler",
        "predicted": "kediler",
        "log_prob": "0.0000",
        "correct": "0",
        "right_but_for_case": "1",
        "seen_tag": "1",
        "seen_lemma": "0",
        "casing": "capitalised",
        "lemma_to_gold": "4",
        "predicted_to_gold": "1",
        "pos": "N",
    }


def test_the_total_is_what_evaluate_finds(svae_run, allennlp, treebank, capsys, tmp_path):
    (test,) = treebank.glob("*-test.conllu")
    metrics = tmp_path / "metrics.json"
    allennlp("evaluate", svae_run / "model.tar.gz", test, "--output-file", metrics)
    capsys.readouterr()
    allennlp("errors", svae_run, test, "--output", tmp_path / "found.tsv")
    evaluated = json.loads(metrics.read_text(encoding="utf-8"))
    total = table_of(capsys.readouterr())["all"]
    assert total[2] == f"{100 * evaluated['inflection_accuracy']:.1f}"
    rows = rows_of(tmp_path / "found.tsv")
    assert len(rows) == int(total[0])
    distances = [int(row["predicted_to_gold"]) for row in rows]
    assert sum(distances) / len(rows) == pytest.approx(evaluated["edit_distance"])
    seen = [row["correct"] == "1" for row in rows if row["seen_lemma"] == "1"]
    assert sum(seen) / len(seen) == pytest.approx(evaluated["accuracy_seen_lemma"])


def test_a_wider_beam_finds_likelier_forms(allennlp, asked, tmp_path):
    train = tmp_path / "train.tsv"
    train.write_text(TRAINING, encoding="utf-8")
    # Nearly uniform: greedy decoding runs on and on where a wide beam stops at once.
    contents = config(str(train), inflector_params(beam_size=1), lr=0.0)
    allennlp("train", write_config(tmp_path / "config.json", contents), "-s", tmp_path / "run")
    log_probs = {}
    for beam in ("1", "10", None):
        found = tmp_path / f"beam_{beam}.tsv"
        options = [] if beam is None else ["--beam", beam]
        allennlp("errors", tmp_path / "run", asked, "--output", found, *options)
        log_probs[beam] = [float(row["log_prob"]) for row in rows_of(found)]
    assert log_probs["1"] == log_probs[None]
    assert all(map(float.__lt__, log_probs["1"], log_probs["10"]))


@pytest.mark.parametrize("beam", ["0", "-1"])
def test_a_beam_is_positive(run, asked, allennlp, beam):
    with pytest.raises(ConfigurationError, match="positive"):
        allennlp("errors", run, asked, "--beam", beam)


def test_rules_have_no_beam(run, asked, allennlp):
    with pytest.raises(DataError, match="no beam search"):
        allennlp("errors", run, asked, "--beam", "3")


def test_an_existing_file_is_left_as_it_is(run, asked, allennlp, tmp_path):
    kept = tmp_path / "kept.tsv"
    kept.write_text("kept", encoding="utf-8")
    with pytest.raises(
        DataError, match=r"kept.tsv: It exists and is left as it is.*another --output,"
    ):
        allennlp("errors", run, asked, "--output", kept)
    assert kept.read_text(encoding="utf-8") == "kept"


def test_a_missing_folder_is_named_before_anything_is_predicted(run, allennlp, tmp_path):
    with pytest.raises(DataError, match=r"nowhere: There is no folder for --output\."):
        allennlp("errors", run, "unread.tsv", "--output", tmp_path / "nowhere" / "found.tsv")


def test_a_missing_archive_is_named(allennlp, asked, tmp_path):
    with pytest.raises(DataError, match="nowhere"):
        allennlp("errors", tmp_path / "nowhere", asked)


def test_a_file_without_forms_is_refused(run, allennlp, tmp_path):
    path = tmp_path / "asked.tsv"
    path.write_text("ev\tN;PL\n", encoding="utf-8")
    with pytest.raises(DataError, match="no line has a form"):
        allennlp("errors", run, path)
