import gzip
import io
import json
import math
import os
import sys
import threading
from pathlib import Path
from typing import Any, Dict, List
from unittest import mock

import pytest
from allennlp.commands import main
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.models import load_archive
from allennlp.predictors import Predictor

from allennlp_svae.data.errors import DataError
from allennlp_svae.predictors.inflect import InflectPredictor
from tests.inflection_toy import config, inflector_params, write_tsv

Archives = Dict[str, str]


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Archives:
    folder = tmp_path_factory.mktemp("inflect")
    tsv = write_tsv(folder / "toy.tsv")
    models: Dict[str, Any] = {
        "inflector": inflector_params(),
        "affix_rules": {"type": "affix_rules"},
    }
    for name, model in models.items():
        train_model(Params(config(tsv, model)), str(folder / name))
    return {name: str(folder / name / "model.tar.gz") for name in models}


def predictor_of(archive: str) -> InflectPredictor:
    predictor = Predictor.from_path(archive)
    assert isinstance(predictor, InflectPredictor)
    return predictor


def run_command(archive: str, given: Path, found: Path, *options: str) -> None:
    arguments = ["predict", archive, str(given), "--output-file", str(found), "--silent", *options]
    with mock.patch.object(sys, "argv", ["allennlp", *arguments]):
        main()


def test_it_is_the_models_own_predictor_and_answers_as_promised(archives: Archives) -> None:
    output = predictor_of(archives["inflector"]).predict_json({"lemma": "ko", "tag": "N;SG;ACC"})
    assert list(output) == ["lemma", "tag", "form", "log_prob", "confidence", "candidates"]
    assert (output["lemma"], output["tag"]) == ("ko", "N;SG;ACC")
    assert len(output["candidates"]) == 3
    names = ("form", "log_prob", "confidence")
    assert output["candidates"][0] == {name: output[name] for name in names}
    # Nothing was calibrated.
    assert output["confidence"] == pytest.approx(math.exp(output["log_prob"]), rel=1e-3)
    scores = [candidate["log_prob"] for candidate in output["candidates"]]
    assert scores == sorted(scores, reverse=True)
    assert all(type(score) is float and math.isfinite(score) for score in scores)


def test_batches_answer_like_single_items(archives: Archives) -> None:
    predictor = predictor_of(archives["inflector"])
    inputs = [
        {"lemma": "ko", "tag": "N;ACC;SG"},
        {"lemma": "sali", "tag": "N;NOM;PL", "n_best": 5},
        {"lemma": "", "tag": "N", "n_best": 1},
    ]
    together = predictor.predict_batch_json(inputs)
    assert [len(output["candidates"]) for output in together] == [3, 5, 1]
    for output, item in zip(together, inputs, strict=True):
        alone = predictor.predict_json(item)
        assert output["form"] == alone["form"]
        assert output["log_prob"] == pytest.approx(alone["log_prob"], abs=1e-4)


def test_how_many_are_asked_for_makes_none_surer(archives: Archives) -> None:
    predictor = predictor_of(archives["inflector"])
    # The toy's forms are all improbable: so that they count.
    predictor._inflector.calibration.inverse_temperature.fill_(0.05)
    one, three = (
        predictor.predict_json({"lemma": "ko", "tag": "N;ACC;SG", "n_best": count})
        for count in (1, 3)
    )
    assert one["confidence"] == pytest.approx(three["confidence"])
    assert [len(each["candidates"]) for each in (one, three)] == [1, 3]


def test_json_lines_on_the_command_line(archives: Archives, tmp_path: Path) -> None:
    given, found = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    given.write_text('{"lemma": "İko", "tag": "N;NOM;PL"}\n' * 3, encoding="utf-8")
    run_command(archives["affix_rules"], given, found, "--batch-size", "2")
    outputs = [json.loads(line) for line in found.read_text(encoding="utf-8").splitlines()]
    sure = outputs[0]["confidence"]
    assert sure == pytest.approx(1.0, abs=1e-5)
    candidates = [{"form": "İkoto", "log_prob": 0.0, "confidence": sure}]
    expected = {"lemma": "İko", "tag": "N;NOM;PL", **candidates[0], "candidates": candidates}
    assert outputs == [expected] * 3


@pytest.mark.parametrize("name", ["inflector", "affix_rules"])
def test_unimorph_file_on_the_command_line(archives: Archives, name: str, tmp_path: Path) -> None:
    given, found = tmp_path / "in.tsv", tmp_path / "out.tsv"
    given.write_text("ko\t\tN;NOM;PL\nsali\tx\tN;ACC;SG\n", encoding="utf-8")
    run_command(archives[name], given, found, "--use-dataset-reader", "--batch-size", "2")
    rows = [line.split("\t") for line in found.read_text(encoding="utf-8").splitlines()]
    assert [(lemma, tag) for lemma, _, tag in rows] == [("ko", "N;NOM;PL"), ("sali", "N;ACC;SG")]
    if name == "affix_rules":
        assert [form for _, form, _ in rows] == ["koto", "salin"]


def test_each_line_of_a_unimorph_file_is_answered_also_where_it_comes_again(
    archives: Archives, tmp_path: Path
) -> None:
    given, found = tmp_path / "in.tsv", tmp_path / "out.tsv"
    given.write_text("ko\tN;NOM;PL\nko\tx\tN;NOM;PL\nko\tN;NOM;PL\n", encoding="utf-8")
    run_command(archives["affix_rules"], given, found, "--use-dataset-reader")
    assert found.read_text(encoding="utf-8") == "ko\tkoto\tN;NOM;PL\n" * 3


@pytest.mark.parametrize("same", [False, True])
def test_no_file_is_written_over(archives: Archives, same: bool, tmp_path: Path) -> None:
    given = tmp_path / "in.jsonl"
    kept = given if same else tmp_path / "kept"
    for path in (given, kept):
        path.write_text('{"lemma": "ko", "tag": "N;NOM;PL"}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"It exists and is left as it is.*--output-file"):
        run_command(archives["affix_rules"], given, kept)
    assert kept.read_text(encoding="utf-8") == '{"lemma": "ko", "tag": "N;NOM;PL"}\n'
    with pytest.raises(DataError, match=r"nowhere: There is no folder.*Remedy"):
        run_command(archives["affix_rules"], given, tmp_path / "nowhere" / "out")


def test_a_device_is_written_to(archives: Archives, tmp_path: Path) -> None:
    given = tmp_path / "in.jsonl"
    given.write_text('{"lemma": "ko", "tag": "N;NOM;PL"}\n', encoding="utf-8")
    run_command(archives["affix_rules"], given, Path(os.devnull))


LINE = '{"lemma": "ko", "tag": "N;NOM;PL"}\n'


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("ko N", "Not JSON"),
        ('{"lemma": "ko"}', '"tag"'),
        ('{"lemma": "", "tag": "N;;"}', "empty item"),
    ],
)
def test_the_line_that_cannot_be_used_is_named(
    archives: Archives, wrong: str, said: str, processes: int, tmp_path: Path
) -> None:
    given, found = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    given.write_text(LINE * 3 + f"\n{wrong}\n" + LINE, encoding="utf-8")
    several = ("--predictor-args", json.dumps({"processes": processes}))
    with pytest.raises(DataError, match=rf"in\.jsonl:5: .*{said}.*Remedy: write") as raised:
        run_command(archives["affix_rules"], given, found, "--batch-size", "3", *several)
    assert (raised.value.path, raised.value.line) == (str(given), 5)
    # What came before the batch of the line has been written, under another name; two processes have other batches.
    assert not found.exists()
    if processes == 1:
        written = found.with_name("out.jsonl.unfinished").read_text(encoding="utf-8")
        assert len(written.splitlines()) == 3
    given.write_text(LINE, encoding="utf-8")
    run_command(archives["affix_rules"], given, found)
    assert [path.name for path in tmp_path.iterdir() if path != given] == ["out.jsonl"]


def test_json_in_another_encoding_is_refused_with_its_line(
    archives: Archives, tmp_path: Path
) -> None:
    given = tmp_path / "in.jsonl"
    given.write_bytes(LINE.encode() + LINE.replace("ko", "kö").encode("cp1252"))
    with pytest.raises(DataError, match=r"in\.jsonl:2: The line is not UTF-8.*iconv"):
        run_command(archives["affix_rules"], given, tmp_path / "out.jsonl")


def test_a_compressed_file_and_standard_input_are_read(
    archives: Archives, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, found = tmp_path / "in.jsonl.gz", tmp_path / "by_file"
    given.write_bytes(gzip.compress(LINE.encode() * 2))
    run_command(archives["affix_rules"], given, found)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LINE.encode() * 2)))
    run_command(archives["affix_rules"], Path("-"), tmp_path / "by_stdin")
    written = found.read_text(encoding="utf-8")
    assert written.count('"koto"') == 4
    assert (tmp_path / "by_stdin").read_text(encoding="utf-8") == written
    for second, said in ((b"ko\n", "Not JSON"), ("kö\n".encode("cp1252"), "not UTF-8")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LINE.encode() + second)))
        with pytest.raises(DataError, match=rf"standard input:2: .*{said}"):
            run_command(archives["affix_rules"], Path("-"), tmp_path / "again")


def test_a_pipe_is_read_and_written_once(archives: Archives, tmp_path: Path) -> None:
    given, found = tmp_path / "given", tmp_path / "found"
    for pipe in (given, found):
        os.mkfifo(pipe)
    answers: List[str] = []
    threads = [
        threading.Thread(target=lambda: given.write_text(LINE * 2, encoding="utf-8")),
        threading.Thread(target=lambda: answers.append(found.read_text(encoding="utf-8"))),
    ]
    for thread in threads:
        thread.start()
    run_command(archives["affix_rules"], given, found)
    for thread in threads:
        thread.join()
    assert answers[0].count('"koto"') == 4
    several = ("--predictor-args", '{"processes": 2}')
    with pytest.raises(DataError, match=r"cannot read standard input or a pipe.*Remedy"):
        run_command(archives["affix_rules"], given, tmp_path / "new", *several)


@pytest.mark.parametrize("name", ["in.jsonl.gz", "in.jsonl.xz", "in.jsonl.bz2"])
def test_a_file_that_cannot_be_unpacked_is_named(
    archives: Archives, name: str, tmp_path: Path
) -> None:
    given = tmp_path / name
    given.write_text(LINE, encoding="utf-8")
    with pytest.raises(DataError, match=rf"{name}: The file cannot be unpacked.*Remedy"):
        run_command(archives["affix_rules"], given, tmp_path / "out")


@pytest.mark.parametrize(
    "line",
    [
        r'{"lemma": "ko\ud800", "tag": "N"}',
        '{"lemma": "ko", "tag": "N", "n_best": %s}' % ("9" * 5000),
        "[" * 100_000,
        '{"lemma": "%s"' % ("ko" * 100_000),
    ],
    ids=["surrogate", "digits", "depth", "length"],
)
def test_what_cannot_be_read_or_written_is_refused_in_few_words(
    archives: Archives, line: str
) -> None:
    with pytest.raises(DataError, match=r"^Not JSON.*Remedy") as raised:
        predictor_of(archives["affix_rules"]).load_line(line)
    assert len(str(raised.value)) < 500


def test_arguments_that_there_are_not_are_named(archives: Archives) -> None:
    archive = load_archive(archives["affix_rules"])
    with pytest.raises(
        ConfigurationError, match=r"no predictor argument `process`; there are n_best, processes"
    ):
        Predictor.from_archive(archive, "inflect", extra_args={"process": 2})


def test_batches_have_a_size(archives: Archives, tmp_path: Path) -> None:
    given = tmp_path / "in.jsonl"
    given.write_text(LINE, encoding="utf-8")
    with pytest.raises(DataError, match=r"--batch-size is less than 1.*Remedy"):
        run_command(archives["affix_rules"], given, tmp_path / "out", "--batch-size", "0")


@pytest.mark.parametrize("tag", ["n;pl", "N,PL", "N;ACC;PLU"])
def test_of_what_no_labelled_tag_has_the_user_is_warned(
    archives: Archives, tag: str, caplog: pytest.LogCaptureFixture
) -> None:
    predictor = predictor_of(archives["inflector"])
    answer = predictor.predict_json({"lemma": "ko", "tag": tag})
    assert answer["unknown"] == [part for part in tag.split(";") if part not in ("N", "ACC")]
    predictor.predict_json({"lemma": "sali", "tag": f"{tag};SG"})
    for part in answer["unknown"]:
        (said,) = [
            message for message in caplog.messages if f"No labelled tag has {part!r}" in message
        ]
        assert "written like N;" in said
        assert (f"For {part!r} it has {part.upper()!r}" in said) == (part in ("n", "pl"))


def test_a_lemma_in_another_encoding_is_warned_of(
    archives: Archives, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    predictor = predictor_of(archives["inflector"])
    predictor.predict_json({"lemma": "\u00e7a", "tag": "N;NOM;PL"})
    assert not any("combining" in message for message in caplog.messages)
    with monkeypatch.context() as patch:
        # As where labelled words are written so.
        patch.setitem(predictor._known_characters, "\u0327", 2)
        predictor.predict_json({"lemma": "c\u0327a", "tag": "N;NOM;PL"})
    assert not any("combining" in message for message in caplog.messages)
    predictor.predict_json({"lemma": "c\u0327a", "tag": "N;NOM;PL"})
    assert any("NFC is usual" in message for message in caplog.messages)


def test_keys_that_are_not_looked_at_are_warned_of(
    archives: Archives, caplog: pytest.LogCaptureFixture
) -> None:
    predictor = predictor_of(archives["inflector"])
    line = '\ufeff{"lemma": "ko", "tag": "N", "nbest": 5}'
    assert predictor.load_line(line) == {"lemma": "ko", "tag": "N", "nbest": 5}
    assert [message for message in caplog.messages if "nbest" in message] == [
        '"nbest" of the input is not looked at; what is: lemma, n_best, tag.'
    ]


def test_conllu_file_on_the_command_line(archives: Archives, tmp_path: Path) -> None:
    given, found = tmp_path / "in.conllu", tmp_path / "out.tsv"
    row = "1\tx\tko\tNOUN\t_\tCase=Nom|Number=Plur\t0\troot\t_\t_\n\n"
    given.write_text(row, encoding="utf-8")
    run_command(archives["affix_rules"], given, found, "--use-dataset-reader")
    assert found.read_text(encoding="utf-8") == "ko\tkoto\tN;NOM;PL\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"lemma": "ko"}', '"tag"'),
        ('{"tag": "N"}', '"lemma"'),
        ('{"lemma": 3, "tag": "N"}', '"lemma"'),
        ('{"lemma": "ko", "tag": ""}', "empty item"),
        ('{"lemma": "ko", "tag": "N;;SG"}', "empty item"),
        ('{"lemma": "ko", "tag": "N", "n_best": 0}', "n_best"),
        ('["ko", "N"]', "JSON object"),
        ("ko N", "Not JSON"),
    ],
)
def test_errors_say_what_to_write(archives: Archives, line: str, said: str) -> None:
    predictor = predictor_of(archives["affix_rules"])
    with pytest.raises(DataError, match=said) as raised:
        predictor.predict_json(predictor.load_line(line))
    assert raised.value.remedy
