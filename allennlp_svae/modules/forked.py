"""What processes have in common that are forked to share work."""

import pickle
import signal
import traceback

import torch


def begin() -> None:
    """What such a process does first: it ends without a word when it is told to, and has one thread."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # What was started in the background does not hear it.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # The threads of the process that this one was forked from are not here.
    torch.set_num_threads(1)


def with_origin(error: Exception) -> Exception:
    """
    The error that is being handled, with where it was raised, which would be lost on the way to another process. One
    that would be lost itself, since it cannot be pickled, becomes a `RuntimeError` of what it says.
    """
    origin = traceback.format_exc()
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    error.add_note(f"In a process of its own:\n{origin}")
    return error
