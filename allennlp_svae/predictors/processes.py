"""Shares a predictor's work among processes: each answers every n-th item of the input, which all read."""

import itertools
import logging
import multiprocessing
import signal
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Callable, Iterator, List, NamedTuple, Union

from allennlp_svae.data.errors import DataError
from allennlp_svae.modules import forked
from allennlp_svae.predictors.json_lines import JsonLinesPredictor

# Answers to the items from the first on, every so many: (first, step).
Answers = Callable[[int, int], Iterator[Any]]
# Sending many at a time takes less.
SENT_TOGETHER = 64


class Warned(NamedTuple):
    """What a process has to warn of; see `JsonLinesPredictor.warn`."""

    of: str
    message: str


Message = Union[List[Any], Warned, forked.Failure]


def in_processes(answers: Answers, predictor: JsonLinesPredictor) -> Iterator[Any]:
    """
    # Parameters

    answers : `Answers`
        Answers by `predictor`.
    predictor : `JsonLinesPredictor`
        Says how many `processes` there are, and warns of what any of them warns of.

    # Returns

    `Iterator[Any]`
        The answers in the order of the items.

    # Raises

    What a process raised, when it would be its turn; `RuntimeError` where it ended without a word.
    """
    count = predictor.processes
    if count == 1:
        yield from answers(0, 1)
        return
    context = multiprocessing.get_context("fork")
    workers: List[BaseProcess] = []
    receivers: List[Connection] = []
    try:
        for number in range(count):
            receiver, sender = context.Pipe(duplex=False)
            receivers.append(receiver)
            workers.append(
                context.Process(
                    target=_work, args=(sender, receivers, answers, predictor, number), daemon=True
                )
            )
            workers[-1].start()
            sender.close()
        streams = [_received(receiver, predictor) for receiver in receivers]
        for stream in itertools.cycle(streams):
            answer = next(stream, None)
            # Where one has no further item, the next have none either.
            if answer is None:
                return
            yield answer
    finally:
        for worker in workers:
            worker.terminate()
            worker.join()


def _received(receiver: Connection, predictor: JsonLinesPredictor) -> Iterator[Any]:
    while True:
        try:
            message: Message = receiver.recv()
        except EOFError:
            raise RuntimeError(
                "A process of `predict` has ended before its work was done. If it was killed for want of memory: ask "
                "for fewer `processes`."
            ) from None
        if isinstance(message, forked.Failure):
            message.raise_again()
        if isinstance(message, Warned):
            predictor.warn(*message)
            continue
        if not message:
            return
        yield from message


def _work(
    sender: Connection,
    receivers: List[Connection],
    answers: Answers,
    predictor: JsonLinesPredictor,
    number: int,
) -> None:
    forked.begin(number)
    # It ends when nobody listens any more: the other ends are not to be here.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for receiver in receivers:
        receiver.close()
    # What reading warns of, all would say.
    if number > 0:
        logging.disable()
    predictor.warn = lambda of, message: sender.send(Warned(of, message))  # type: ignore[method-assign]
    some: List[Any] = []
    end: Message = []
    try:
        for answer in answers(number, predictor.processes):
            some.append(answer)
            if len(some) == SENT_TOGETHER:
                sender.send(some)
                some = []
    except DataError as error:
        end = forked.Failure(error)
    except Exception as error:
        end = forked.Failure.of(error)
    if some:
        sender.send(some)
    sender.send(end)
