import ast
import sys
from pathlib import Path

import pytest

from benchmarks.usage import run


def test_time_and_memory_of_the_command_and_its_children_are_counted(tmp_path: Path) -> None:
    held = bytearray(200_000_000)
    held[::4096] = b"x" * len(held[::4096])
    log = tmp_path / "log"
    idle = run([sys.executable, "-c", "print('said')"], str(log))
    assert log.read_text() == "said\n"
    # What this process holds is not counted.
    assert idle.peak_bytes < 100_000_000
    work = "import time\nheld = b'x' * 150_000_000\nwhile time.process_time() < 0.5: pass"
    script = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}])"
    busy = run([sys.executable, "-c", script], str(log))
    assert busy.peak_bytes > 150_000_000
    assert busy.cpu_seconds > 0.5


def test_threads_and_devices_are_the_same_for_all(tmp_path: Path) -> None:
    log = tmp_path / "log"
    names = ["OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES"]
    run([sys.executable, "-c", f"import os; print([os.environ[n] for n in {names}])"], str(log))
    threads, devices = ast.literal_eval(log.read_text())
    assert int(threads) >= 1
    assert devices == ""


def test_a_command_that_fails_is_shown_with_its_output(tmp_path: Path) -> None:
    script = "import sys; print('out'); print('wrong', file=sys.stderr); sys.exit(3)"
    with pytest.raises(SystemExit, match=r"(?s)wrong.*Exit status 3") as raised:
        run([sys.executable, "-c", script], str(tmp_path / "log"))
    assert "out" in str(raised.value)
