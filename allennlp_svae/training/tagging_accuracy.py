"""How many tokens are tagged and lemmatized as annotated."""

from typing import Any, Dict, Iterable, Optional, Sequence

from allennlp.training.metrics import Metric

from allennlp_svae.data.sentence import Token

_COUNTED = ("tag", "pos", "lemma", "joint")


@Metric.register("tagging_accuracy")
class TaggingAccuracy(Metric):
    """
    The fractions of tokens with the right whole tag, part of speech, lemma, and lemma with tag, each of
    the tokens that are annotated with it. Exact match, case and punctuation included.
    """

    def __init__(self) -> None:
        self._right: Dict[str, int] = {}
        self._total: Dict[str, int] = {}
        self.reset()

    def __call__(
        self,
        predictions: Iterable[Sequence[Token]],
        gold_labels: Iterable[Sequence[Token]],
        mask: Optional[Any] = None,
    ) -> None:
        """
        # Parameters

        predictions, gold_labels : `Iterable[Sequence[Token]]`
            The tokens of sentences.
        """
        for predicted, annotated in zip(predictions, gold_labels, strict=True):
            for guess, gold in zip(predicted, annotated, strict=True):
                if gold.tag is not None:
                    self._count("tag", guess.tag == gold.tag)
                    self._count("pos", guess.tag is not None and guess.tag.pos == gold.tag.pos)
                if gold.lemma is not None:
                    self._count("lemma", guess.lemma == gold.lemma)
                if gold.tag is not None and gold.lemma is not None:
                    self._count("joint", guess.tag == gold.tag and guess.lemma == gold.lemma)

    def get_metric(self, reset: bool = False) -> Dict[str, float]:
        """`tag_accuracy`, `pos_accuracy`, `lemma_accuracy`, `joint_accuracy` in [0, 1]; 0 without tokens."""
        metrics = {
            f"{name}_accuracy": self._right[name] / max(self._total[name], 1) for name in _COUNTED
        }
        if reset:
            self.reset()
        return metrics

    def reset(self) -> None:
        self._right = dict.fromkeys(_COUNTED, 0)
        self._total = dict.fromkeys(_COUNTED, 0)

    def _count(self, name: str, is_right: bool) -> None:
        self._total[name] += 1
        self._right[name] += int(is_right)
