"""Does several things at once, each in a process of its own, where that can be."""

import logging
import multiprocessing
import os
import sys
import threading
from contextlib import redirect_stderr
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Callable, Dict, Mapping, Optional

from allennlp_svae.modules import forked

logger = logging.getLogger(__name__)

Task = Callable[[], None]


def side_by_side(tasks: Mapping[str, Task], processes: Optional[int] = None) -> None:
    """
    Does tasks that leave what they make in files. A process has one thread. On systems other than Linux, whose
    processes cannot be had with what the model already knows, tasks are done one after another.

    # Parameters

    tasks : `Mapping[str, Task]`
        By names, which stand before what they log. The first one's progress is shown.
    processes : `int`, optional (default = as many as there are cores)
        How many tasks are done at a time, at most.

    # Raises

    What a task raised, and the others are stopped; `RuntimeError` where a process ended without a word.
    """
    if processes is None:
        processes = len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1
    if min(processes, len(tasks)) < 2 or sys.platform != "linux":
        for task in tasks.values():
            task()
        return
    logger.info("%d trainings, %d at a time.", len(tasks), min(processes, len(tasks)))
    context = multiprocessing.get_context("fork")
    waiting = list(tasks.items())
    shown = waiting[0][0]
    running: Dict[Connection, BaseProcess] = {}
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                name, task = waiting.pop(0)
                receiver, sender = context.Pipe(duplex=False)
                running[receiver] = context.Process(
                    target=_do, args=(task, name, name == shown, sender)
                )
                running[receiver].start()
                sender.close()
            for ended in wait(list(running)):
                assert isinstance(ended, Connection)
                _end(running.pop(ended), ended)
    finally:
        for process in running.values():
            process.terminate()
            process.join()


def _end(process: BaseProcess, receiver: Connection) -> None:
    try:
        failure: Optional[forked.Failure] = receiver.recv()
    except EOFError:
        failure = forked.Failure(
            RuntimeError(
                "A process of training has ended before its work was done. If it was killed for want of memory: go on "
                "with `--recover` on one core, by `taskset -c 0 allennlp train …`, where one training follows another."
            )
        )
    process.join()
    receiver.close()
    if failure is not None:
        failure.raise_again()


def _do(task: Task, name: str, is_shown: bool, sender: Connection) -> None:
    # Who interrupts the training interrupts them all, and one traceback will do.
    forked.begin()
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    _put_before_what_is_logged(name)
    try:
        # Progress bars would write over each other.
        with (
            open(os.devnull, "w") as nowhere,
            redirect_stderr(sys.stderr if is_shown else nowhere),
        ):
            task()
    except Exception as error:
        sender.send(forked.Failure.of(error))
    else:
        sender.send(None)


def _put_before_what_is_logged(name: str) -> None:
    make = logging.getLogRecordFactory()

    def named(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = make(*args, **kwargs)
        record.msg, record.args = f"{name}: {record.getMessage()}", ()
        return record

    logging.setLogRecordFactory(named)


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
