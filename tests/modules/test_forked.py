import multiprocessing
import os
import pickle
import signal
import sys

import pytest
from allennlp.common.checks import ConfigurationError
from tqdm.std import TqdmDefaultWriteLock, tqdm

from allennlp_svae.modules.forked import Failure, begin


class PickyError(Exception):
    """Pickled by its message alone, which is not what it is made of."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")


class BoundError(Exception):
    """Holds what no process can give to another."""

    def __init__(self) -> None:
        super().__init__("bound")
        self.here = lambda: self


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (KeyError("lemma"), KeyError, "'lemma'"),
        (ConfigurationError("lemma"), ConfigurationError, "lemma"),
        (PickyError("lemma", "missing"), RuntimeError, "PickyError: lemma: missing"),
        (BoundError(), RuntimeError, "BoundError: bound"),
    ],
)
def test_an_error_arrives_with_where_it_was_raised(error: Exception, kind: type, said: str) -> None:
    def raise_it() -> None:
        raise error

    try:
        raise_it()
    except Exception as raised:
        arrived = pickle.loads(pickle.dumps(Failure.of(raised)))
    with pytest.raises(kind) as again:
        arrived.raise_again()
    assert type(again.value) is kind
    assert said in str(again.value)
    (note,) = again.value.__notes__
    assert "in raise_it" in note


def _stop_with_the_lock() -> None:
    begin()
    with tqdm.get_lock():
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
def test_a_process_that_is_stopped_stops_no_other() -> None:
    # What every progress bar asks for, here as there.
    lock = TqdmDefaultWriteLock()
    stopped = multiprocessing.get_context("fork").Process(target=_stop_with_the_lock)
    stopped.start()
    stopped.join()
    assert stopped.exitcode == -signal.SIGKILL
    assert lock.mp_lock.acquire(timeout=5)
    lock.mp_lock.release()
