import logging
import os
import signal
import subprocess
import sys
import textwrap
import time
from functools import partial
from pathlib import Path
from typing import Callable, Dict

import pytest
import torch

from allennlp_svae.training.side_by_side import Task, side_by_side

SECONDS = 30.0

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")


def wait_for(happened: Callable[[], bool]) -> None:
    start = time.monotonic()
    while not happened():
        assert time.monotonic() < start + SECONDS, "This takes too long."
        time.sleep(0.01)


def meet(own: Path, others: Path) -> None:
    own.write_text(f"{os.getpid()} {torch.get_num_threads()}")
    wait_for(others.exists)


def named(*tasks: Task) -> Dict[str, Task]:
    return {f"task {number}": task for number, task in enumerate(tasks)}


def fail() -> None:
    raise ValueError("no such luck")


def is_running(process: int) -> bool:
    try:
        return "zombie" not in Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return False


@on_linux
def test_tasks_are_done_at_the_same_time_on_one_thread_each(tmp_path: Path) -> None:
    files = [tmp_path / "a", tmp_path / "b"]
    side_by_side(named(partial(meet, *files), partial(meet, *reversed(files))), processes=2)
    (first, threads), (second, _) = (file.read_text().split() for file in files)
    assert len({first, second, str(os.getpid())}) == 3
    assert threads == "1"


@on_linux
def test_no_more_are_done_at_a_time_than_asked(tmp_path: Path) -> None:
    def alone(number: int) -> None:
        (tmp_path / "busy").touch(exist_ok=False)
        time.sleep(0.05)
        (tmp_path / "busy").unlink()
        (tmp_path / str(number)).touch()

    side_by_side(named(*[partial(meet, tmp_path / "0", tmp_path / "0")] * 5), processes=2)
    side_by_side(named(*(partial(alone, number) for number in range(3))), processes=1)
    assert {file.name for file in tmp_path.iterdir()} == {"0", "1", "2"}


def test_one_process_is_this_one(tmp_path: Path) -> None:
    side_by_side(named(*[partial(meet, tmp_path / "a", tmp_path / "a")] * 2), processes=1)
    assert (tmp_path / "a").read_text().split()[0] == str(os.getpid())


@on_linux
def test_what_a_task_raises_is_raised_and_the_others_are_stopped(tmp_path: Path) -> None:
    start = time.monotonic()
    with pytest.raises(ValueError, match="no such luck") as raised:
        side_by_side(named(partial(time.sleep, 2 * SECONDS), fail), processes=2)
    assert time.monotonic() < start + SECONDS
    assert "in fail" in raised.value.__notes__[0]


@on_linux
def test_what_each_logs_has_its_name(tmp_path: Path) -> None:
    def log(number: int) -> None:
        logging.getLogger("some.module").error("%d %% of %s", number, "all")

    handler = logging.FileHandler(tmp_path / "log")
    handler.setLevel(logging.ERROR)
    logging.getLogger().addHandler(handler)
    try:
        side_by_side({"tag_lm": partial(log, 30), "50%": partial(log, 70)}, processes=2)
        logging.error("after")
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()
    *lines, last = (tmp_path / "log").read_text().splitlines()
    assert sorted(lines) == ["50%: 70 % of all", "tag_lm: 30 % of all"]
    assert last == "after"


@on_linux
def test_who_is_killed_is_missed() -> None:
    with pytest.raises(RuntimeError, match="go on with `--recover` on one core, by `taskset -c 0"):
        side_by_side(
            named(partial(time.sleep, 2 * SECONDS), lambda: os.kill(os.getpid(), signal.SIGKILL)),
            processes=2,
        )


@on_linux
def test_none_is_left_when_the_parent_is_killed(tmp_path: Path) -> None:
    script = f"""
        import os, time
        from pathlib import Path
        from allennlp_svae.training.side_by_side import side_by_side

        def write(name):
            path = Path({str(tmp_path)!r}) / name
            path.with_suffix(".part").write_text(str(os.getpid()))
            path.with_suffix(".part").rename(path)
            time.sleep({10 * SECONDS})

        side_by_side({{"a": lambda: write("a"), "b": lambda: write("b")}}, processes=2)
    """
    parent = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)])
    files = [tmp_path / "a", tmp_path / "b"]
    try:
        # Until then it imports.
        wait_for(lambda: all(file.exists() for file in files) or parent.poll() is not None)
    finally:
        parent.kill()
        parent.wait()
    children = [int(file.read_text()) for file in files]
    wait_for(lambda: not any(map(is_running, children)))
