"""What the steps of wake-sleep leave in a run's folder, by which a recovered run knows what is done."""

import logging
import os
from typing import Callable, Iterable

from allennlp_svae.data.conllu_format import write_sentences
from allennlp_svae.data.sentence import Sentence
from allennlp_svae.training.instances_loader import seed_everything
from allennlp_svae.training.whole_file import whole_text

logger = logging.getLogger(__name__)

FOLDER = "wake_sleep"


class IterationFiles:
    """
    The folders `wake_sleep/iteration_N/`, and what each step is seeded with, whatever was read back before it.

    # Parameters

    serialization_dir : `str`
        The run's folder.
    seed : `int`
    """

    def __init__(self, serialization_dir: str, seed: int) -> None:
        self._serialization_dir = serialization_dir
        self._seed = seed

    def folder(self, iteration: int, part: str = "") -> str:
        """Of an iteration, or of one of its parts."""
        return os.path.join(self._serialization_dir, FOLDER, f"iteration_{iteration}", part)

    def seed(self, iteration: int, step: str) -> str:
        return f"{self._seed}/{iteration}/{step}"

    def sentences(
        self, iteration: int, name: str, make: Callable[[], Iterable[Sentence]], tagset: str
    ) -> str:
        """The path of a CoNLL-U file, made and written if it is not there yet."""
        path = os.path.join(self.folder(iteration), name)
        if not os.path.exists(path):
            logger.info("Wake-sleep iteration %d: writing %s", iteration, path)
            seed_everything(self.seed(iteration, name))
            sentences = make()
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with whole_text(path) as file:
                write_sentences(file, sentences, tagset)
        return path
