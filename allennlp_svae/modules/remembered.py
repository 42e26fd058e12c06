"""Answers to what was asked before, of something that answers many questions together and always the same."""

from itertools import islice
from typing import Callable, Dict, Generic, Hashable, Iterable, List, TypeVar

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")


class Remembered(Generic[Question, Answer]):
    """
    # Parameters

    at_most : `int`, optional (default = `0`)
        How many answers are kept, those that were found last. None are while what answers may learn.
    """

    def __init__(self, at_most: int = 0) -> None:
        self.at_most = at_most
        self._answers: Dict[Question, Answer] = {}

    def __call__(
        self,
        asked: Iterable[Question],
        answer: Callable[[List[Question]], Iterable[Answer]],
    ) -> Dict[Question, Answer]:
        """The answer to each distinct question; those that are new are put to `answer`, all at once."""
        distinct = list(dict.fromkeys(asked))
        new = [question for question in distinct if question not in self._answers]
        self._answers.update(zip(new, answer(new), strict=True))
        found = {question: self._answers[question] for question in distinct}
        for question in list(islice(self._answers, max(0, len(self._answers) - self.at_most))):
            del self._answers[question]
        return found
