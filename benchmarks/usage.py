"""What a command takes: CPU time and memory of it and of the processes that it starts."""

import os
import subprocess
import sys
from typing import NamedTuple, Sequence

from benchmarks import child_process

# Lines of a failed command's output that are shown.
_SHOWN = 20
# One thread, so that threads that wait do not count as work; and no GPU, whose work nobody counts.
_ENVIRONMENT = {"OMP_NUM_THREADS": "1", **os.environ, "CUDA_VISIBLE_DEVICES": ""}


class Usage(NamedTuple):
    """User and system time in seconds; the most memory that one of the processes held, in bytes."""

    cpu_seconds: float
    peak_bytes: int


def run(command: Sequence[str], log: str) -> Usage:
    """
    Runs a command to its end; what it prints goes to the file `log`.

    # Raises

    `SystemExit`, with the end of the output, where the command fails.
    """
    with open(log, "w", encoding="utf-8") as file:
        script = [sys.executable, "-I", child_process.__file__, *command]
        answer = subprocess.run(
            script, stdout=subprocess.PIPE, stderr=file, env=_ENVIRONMENT, check=True, text=True
        )
    status, seconds, peak = answer.stdout.split()
    if status != "0":
        with open(log, encoding="utf-8", errors="replace") as file:
            end = "".join(file.readlines()[-_SHOWN:])
        raise SystemExit(f"{end}\nExit status {status} of: {' '.join(command)}\nOutput: {log}")
    return Usage(float(seconds), int(peak))
