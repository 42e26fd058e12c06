"""What processes have in common that are forked to share work."""

import pickle
import signal
import threading
import traceback
from typing import NamedTuple, NoReturn

import torch
from tqdm import tqdm


def begin(number: int = 0) -> None:
    """
    What such a process does first: it ends without a word when it is told to, has one thread, and can be stopped at any
    time.

    # Parameters

    number : `int`, optional (default = `0`)
        Which of several it is: each draws other random numbers, the first those that come next anyway.
    """
    if number:
        torch.manual_seed(torch.initial_seed() + number)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # What was started in the background does not hear it.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # The threads of the process that this one was forked from are not here.
    torch.set_num_threads(1)
    # All processes share tqdm's own lock, and one that is stopped while it holds it would stop the others.
    tqdm.set_lock(threading.RLock())


class Failure(NamedTuple):
    """An exception on its way to another process, with where it was raised, if that is worth telling."""

    error: Exception
    origin: str = ""

    @classmethod
    def of(cls, error: Exception) -> "Failure":
        """The error that is being handled. One that cannot be pickled becomes a `RuntimeError` of what it says."""
        origin = traceback.format_exc()
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            error = RuntimeError(f"{type(error).__name__}: {error}")
        return cls(error, origin)

    def raise_again(self) -> NoReturn:
        if self.origin:
            self.error.add_note(f"In a process of its own:\n{self.origin}")
        raise self.error
