"""What several processes answer is what one does, in the order of the input."""

import json
import logging
import multiprocessing
import os
import signal
import sys
import time
from itertools import count, islice
from pathlib import Path
from typing import Any, Callable, Iterator
from unittest import mock

import pytest
import torch
from allennlp.commands import main
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.models import load_archive
from allennlp.predictors import Predictor

from allennlp_svae.data.errors import DataError
from allennlp_svae.predictors.json_lines import JsonLinesPredictor
from allennlp_svae.predictors.processes import SENT_TOGETHER, in_processes
from tests.inflection_toy import config, inflector_params, write_tsv

LEMMAS = ["ko", "sali", "p", "", "tasku", "oki", "lapi"]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("processes")
    train_model(
        Params(config(write_tsv(folder / "toy.tsv"), inflector_params())), str(folder / "run")
    )
    return str(folder / "run" / "model.tar.gz")


def predictor_of(archive: str, processes: Any) -> JsonLinesPredictor:
    predictor = Predictor.from_archive(
        load_archive(archive), "inflect", extra_args={"processes": processes}
    )
    assert isinstance(predictor, JsonLinesPredictor)
    return predictor


def predict(archive: str, given: Path, found: Path, processes: int, *options: str) -> str:
    arguments = ["predict", archive, str(given), "--output-file", str(found), *options]
    arguments += ["--predictor-args", json.dumps({"processes": processes})]
    with mock.patch.object(sys, "argv", ["allennlp", *arguments]):
        main()
    return found.read_text(encoding="utf-8")


@pytest.mark.parametrize("items", [1, 2, 7, 3 * SENT_TOGETHER])
@pytest.mark.parametrize("kind", ["jsonl", "tsv"])
def test_files_are_answered_as_by_one(archive: str, tmp_path: Path, items: int, kind: str) -> None:
    lemmas = (LEMMAS * items)[:items]
    given = tmp_path / f"given.{kind}"
    options = ["--silent", "--batch-size", "2"]
    if kind == "tsv":
        lines = [f"{lemma or 'o'}\t\tN;NOM;PL\n" for lemma in lemmas]
        options.append("--use-dataset-reader")
    else:
        lines = [f"{json.dumps({'lemma': lemma, 'tag': 'N;PL'})}\n" for lemma in lemmas]
    given.write_text("".join(lines), encoding="utf-8")
    alone, shared = (
        predict(archive, given, tmp_path / f"by_{processes}", processes, *options).splitlines()
        for processes in (1, 3)
    )
    assert len(alone) == items
    if kind == "tsv":
        assert shared == alone
        return
    for answer, expected in zip(map(json.loads, shared), map(json.loads, alone), strict=True):
        assert (answer["lemma"], answer["form"]) == (expected["lemma"], expected["form"])
        assert answer["log_prob"] == pytest.approx(expected["log_prob"], abs=1e-4)


def test_items_are_shown_beside_their_answers(
    archive: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "given.jsonl"
    items = [{"lemma": lemma, "tag": "N;PL"} for lemma in LEMMAS]
    given.write_text("".join(f"{json.dumps(item)}\n" for item in items), encoding="utf-8")
    predict(archive, given, tmp_path / "found", 2)
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith("input ")]
    assert shown == [f"input {index}:  {json.dumps(item)}" for index, item in enumerate(items)]


def test_each_draws_random_numbers_of_its_own(archive: str) -> None:
    predictor = predictor_of(archive, 3)

    def answers(first: int, step: int) -> Iterator[float]:
        return (torch.rand(()).item() for _ in range(first, 12, step))

    drawn = []
    for _ in range(2):
        torch.manual_seed(0)
        drawn.append(list(in_processes(answers, predictor)))
    assert len(set(drawn[0])) == 12
    assert drawn[0] == drawn[1]


def test_what_all_notice_is_warned_of_once(
    archive: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    given = tmp_path / "given.jsonl"
    line = '{"lemma": "ko", "tag": "N;PLU", "nbest": 2}\n'
    given.write_text(line * 6, encoding="utf-8")
    predict(archive, given, tmp_path / "found", 2, "--silent")
    assert sum("No labelled tag has 'PLU'" in message for message in caplog.messages) == 1
    assert sum('"nbest" of the input is not' in message for message in caplog.messages) == 1


def test_what_reading_warns_of_one_says(archive: str, capfd: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("test_reading")
    logger.addHandler(logging.StreamHandler())

    def answers(first: int, step: int) -> Iterator[int]:
        logger.warning("an odd line")
        yield from range(first, 6, step)

    assert list(in_processes(answers, predictor_of(archive, 3))) == list(range(6))
    assert capfd.readouterr().err.count("an odd line\n") == 1


def test_an_error_comes_after_the_answers_before_it(archive: str, tmp_path: Path) -> None:
    given, found = tmp_path / "given.tsv", tmp_path / "found.tsv"
    given.write_text("ko\t\tN;NOM;PL\n" * 4 + "ko\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"given.tsv:5: .*Remedy") as raised:
        predict(archive, given, found, 2, "--silent", "--use-dataset-reader", "--batch-size", "1")
    assert raised.value.line == 5
    assert not found.exists()
    written = found.with_name("found.tsv.unfinished")
    lines = written.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 4
    assert len(set(lines)) == 1


def test_standard_input_cannot_be_shared(archive: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"standard input.*Remedy"):
        predict(archive, Path("-"), tmp_path / "found", 2)


@pytest.mark.parametrize("processes", [0, -1, "2", True, 1.0], ids=repr)
def test_wrong_numbers_are_refused(archive: str, processes: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"`processes` is .*positive whole number"):
        predictor_of(archive, processes)


def test_answers_are_taken_as_they_are_wanted(archive: str) -> None:
    """However many there are."""

    def squares(first: int, step: int) -> Iterator[int]:
        return (number * number for number in count(first, step))

    found = in_processes(squares, predictor_of(archive, 3))
    assert [*islice(found, 200)] == [number * number for number in range(200)]


def test_a_process_that_was_killed_is_told_of(archive: str) -> None:
    def answers(first: int, step: int) -> Iterator[int]:
        yield from range(first, 2 * SENT_TOGETHER * step, step)
        os.kill(os.getpid(), signal.SIGKILL)

    found = in_processes(answers, predictor_of(archive, 2))
    before = [*range(4 * SENT_TOGETHER)]
    assert [*islice(found, len(before))] == before
    with pytest.raises(RuntimeError, match=r"ended before its work was done.*fewer `processes`"):
        next(found)


def test_where_a_process_failed_is_told(archive: str) -> None:
    def answers(first: int, step: int) -> Iterator[int]:
        yield first
        raise KeyError("of the second")

    found = in_processes(answers, predictor_of(archive, 2))
    assert [*islice(found, 2)] == [0, 1]
    with pytest.raises(KeyError, match="of the second") as raised:
        next(found)
    (note,) = raised.value.__notes__
    assert "test_processes.py" in note


@pytest.mark.parametrize("told", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_is_left(archive: str, tmp_path: Path, told: signal.Signals) -> None:
    """Whatever becomes of the one that shares the work."""
    predictor = predictor_of(archive, 2)

    def answers(first: int, step: int) -> Iterator[int]:
        (tmp_path / str(os.getpid())).touch()
        return count(first, step)

    def use_up() -> None:
        # As in a process of its own, wherever the tests have been started.
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for _ in in_processes(answers, predictor):
            time.sleep(0.001)

    sharing = multiprocessing.get_context("fork").Process(target=use_up)
    sharing.start()
    assert sharing.pid is not None
    wait_for(lambda: len(list(tmp_path.iterdir())) == 2)
    os.kill(sharing.pid, told)
    sharing.join(60)
    assert sharing.exitcode is not None
    wait_for(lambda: not any(is_running(int(path.name)) for path in tmp_path.iterdir()))


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("It has not come about within a minute.")


def is_running(pid: int) -> bool:
    """Whether there is such a process that has not ended, asked about or not."""
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_ending_well_says_nothing(
    archive: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "given.jsonl"
    given.write_text('{"lemma": "ko", "tag": "N;PL"}\n' * 40, encoding="utf-8")
    predict(archive, given, tmp_path / "found", 2, "--silent", "--batch-size", "16")
    assert "Traceback" not in capfd.readouterr().err
