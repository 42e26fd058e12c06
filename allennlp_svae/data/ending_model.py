"""What the end of a text tells of its label: n-grams whose last symbol is the label."""

from typing import Iterable, List, Sequence, Tuple

import numpy as np

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.word_model import WordModel

# Labels are characters after texts: of a plane for private use, in which nothing else is written here.
_FIRST_SYMBOL = 0x100000


class EndingModel:
    """
    # Parameters

    labeled : `Iterable[Tuple[str, str]]`
        Texts with a label each. Repetitions do not count.
    order : `int`, optional (default = `6`)
        The length of the longest n-grams, the label included.
    """

    def __init__(self, labeled: Iterable[Tuple[str, str]], order: int = 6) -> None:
        labeled = list(labeled)
        labels = dict.fromkeys(label for _, label in labeled)
        self._symbols = {
            label: chr(_FIRST_SYMBOL + number) for number, label in enumerate(labels, start=1)
        }
        self._length = order - 1
        words = [text + self._symbols[label] for text, label in labeled]
        self._model = WordModel(words, order) if words else None

    def log_probs(self, labeled: Sequence[Tuple[str, str]]) -> List[float]:
        """log p(label | text) of each, in nats; 0 where none was given."""
        if self._model is None:
            return [0.0] * len(labeled)
        # No n-gram sees more of a text than its end, and many texts end alike.
        endings = [text[-self._length :] for text, _ in labeled]
        distinct = {ending: number for number, ending in enumerate(dict.fromkeys(endings))}
        states = self._model.after(list(distinct))
        # All labels that are not known are one.
        symbols = "".join(self._symbols.get(label, chr(_FIRST_SYMBOL)) for _, label in labeled)
        log_probs, _ = self._model.extend(
            states[[distinct[ending] for ending in endings]], np.array(self._model.ids(symbols))
        )
        return log_probs.tolist()


class TagModel:
    """
    What the end of a text tells of a tag whose part of speech is given.

    # Parameters

    tagged : `Iterable[Tuple[str, MorphTag]]`
    order : `int`, optional (default = `6`)
        See `EndingModel`.
    """

    def __init__(self, tagged: Iterable[Tuple[str, MorphTag]], order: int = 6) -> None:
        tagged = list(tagged)
        self._tags = EndingModel(_labeled_by_tag(tagged), order)
        self._poses = EndingModel(_labeled_by_pos(tagged), order)

    def scores(self, tagged: Sequence[Tuple[str, MorphTag]]) -> List[float]:
        """
        log p(m | text) - log p(t | text) of each, t being the part of speech of m, in nats: what log p(m | text, t)
        would be, were the two of one model. They are not, and it is a score, no distribution's.
        """
        of_tags = self._tags.log_probs(_labeled_by_tag(tagged))
        of_poses = self._poses.log_probs(_labeled_by_pos(tagged))
        return [of_tag - of_pos for of_tag, of_pos in zip(of_tags, of_poses, strict=True)]


def _labeled_by_tag(tagged: Iterable[Tuple[str, MorphTag]]) -> List[Tuple[str, str]]:
    return [(text, str(tag)) for text, tag in tagged]


def _labeled_by_pos(tagged: Iterable[Tuple[str, MorphTag]]) -> List[Tuple[str, str]]:
    return [(text, tag.pos) for text, tag in tagged]
