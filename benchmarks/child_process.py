"""
Runs a command and says what it took. The file is also the script that `run` starts the command with:

    python benchmarks/child_process.py COMMAND…

A process that has just been started counts what its parent held as its own peak of memory, so the
parent has to be small: this script, which imports next to nothing, and not a process with torch.
"""

import os
import sys

# Bytes in what `ru_maxrss` counts.
_PEAK_UNIT = 1 if sys.platform == "darwin" else 1024


def main(command: list[str]) -> None:
    """Both outputs of the command go to standard error, a line of figures to standard output."""
    report = os.dup(1)
    os.dup2(2, 1)
    child = os.spawnvp(os.P_NOWAIT, command[0], command)
    _, status, usage = os.wait4(child, 0)
    seconds, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * _PEAK_UNIT
    os.write(report, f"{os.waitstatus_to_exitcode(status)} {seconds} {peak}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1:])
