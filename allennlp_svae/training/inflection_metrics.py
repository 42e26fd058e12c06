"""
How well forms are predicted: the paper's type-level accuracy (section 7.2) and what it is made of.
"""

from collections import defaultdict
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from allennlp.data import Vocabulary
from allennlp.training.metrics import Metric

from allennlp_svae.data.casing import differ_in_case
from allennlp_svae.modules.candidates import Candidates

TOP = 5
BINS = 10


def levenshtein(first: str, second: str) -> int:
    """
    The least number of insertions, deletions and substitutions of characters between two strings.
    """
    previous = list(range(len(second) + 1))
    for row, character in enumerate(first, start=1):
        current = [row]
        for column, other in enumerate(second, start=1):
            substitution = previous[column - 1] + (character != other)
            current.append(min(previous[column] + 1, current[-1] + 1, substitution))
        previous = current
    return previous[-1]


@Metric.register("inflection")
class InflectionMetric(Metric):
    """
    Means over the inflections counted, which the `inflections` reader makes distinct:

    - `inflection_accuracy`: the form is exactly right;
    - `inflection_accuracy_top5`: exactly right is one of the five likeliest, where five were sought;
    - `inflection_accuracy_caseless`: right but for upper and lower case;
    - `calibration_error`: how far, at the mean, the confidence in a form is from the accuracy of all forms with
      about that confidence (expected calibration error in ten bins; Guo et al., 2017), where five were sought;
    - `edit_distance`: Levenshtein distance in characters;
    - `accuracy_seen_tag`, `accuracy_unseen_tag`, `accuracy_seen_lemma`, `accuracy_unseen_lemma`:
      exact match on that part of the inflections.

    A mean over no inflections is left out. All are Python floats; accuracies lie in [0, 1].

    # Parameters

    vocab : `Vocabulary`
        Built from the training data alone: its `morphology` and `lemmas` are what counts as seen.
    """

    def __init__(self, vocab: Vocabulary) -> None:
        self._vocab = vocab
        self._sums: Dict[str, float] = defaultdict(float)
        self._counts: Dict[str, int] = defaultdict(int)
        self._bins: List[List[Tuple[float, float]]] = [[] for _ in range(BINS)]

    def __call__(
        self,
        predicted: Sequence[str],
        inflections: Sequence[Dict[str, Any]],
        candidates: Optional[Sequence[Sequence[str]]] = None,
    ) -> None:
        """
        # Parameters

        predicted : `Sequence[str]`
            Forms, one an inflection.
        inflections : `Sequence[Dict[str, Any]]`
            The `inflections` reader's metadata; those whose form is unknown are not counted.
        candidates : `Sequence[Sequence[str]]`, optional (default = `None`)
            Up to five forms, one list an inflection, from a beam of five at least.
        """
        tags = self._vocab.get_token_to_index_vocabulary("morphology")
        lemmas = self._vocab.get_token_to_index_vocabulary("lemmas")
        for position, (form, inflection) in enumerate(zip(predicted, inflections, strict=True)):
            gold = inflection["form"]
            if gold is None:
                continue
            if candidates is not None:
                self._add("inflection_accuracy_top5", float(gold in candidates[position]))
            exact = float(form == gold)
            tag = "seen" if inflection["tag"] in tags else "unseen"
            lemma = "seen" if inflection["lemma"] in lemmas else "unseen"
            self._add("inflection_accuracy", exact)
            same_letters = form == gold or differ_in_case(form, gold)
            self._add("inflection_accuracy_caseless", float(same_letters))
            self._add("edit_distance", 0.0 if exact else float(levenshtein(form, gold)))
            self._add(f"accuracy_{tag}_tag", exact)
            self._add(f"accuracy_{lemma}_lemma", exact)

    def of_search(
        self,
        found: Sequence[Candidates],
        width: int,
        inflections: Sequence[Dict[str, Any]],
        confidences: Callable[[Sequence[Candidates]], List[List[float]]],
    ) -> None:
        """
        Counts what a beam search found.

        # Parameters

        found : `Sequence[Candidates]`
            Up to five forms and their scores, best first, one list an inflection.
        width : `int`
            Of the beam: the first five are counted only if it can have found them.
        inflections : `Sequence[Dict[str, Any]]`
            As in `__call__`.
        confidences : `Callable[[Sequence[Candidates]], List[List[float]]]`
            From what was found to the probability, for each form, that it is right. Not asked for narrower beams.
        """
        candidates = [[form for form, _ in one] for one in found]
        best = [forms[0] for forms in candidates]
        self(best, inflections, candidates if width >= TOP else None)
        if width < TOP:
            return
        for form, inflection, (confidence, *_) in zip(
            best, inflections, confidences(found), strict=True
        ):
            if inflection["form"] is not None:
                bin_ = self._bins[min(BINS - 1, int(BINS * confidence))]
                bin_.append((confidence, float(form == inflection["form"])))

    def _add(self, name: str, value: float) -> None:
        self._sums[name] += value
        self._counts[name] += 1

    def get_metric(self, reset: bool = False) -> Dict[str, float]:
        metrics = {name: total / self._counts[name] for name, total in self._sums.items()}
        pairs = sum(map(len, self._bins))
        if pairs:
            metrics["calibration_error"] = sum(map(_deviation, self._bins)) / pairs
        if reset:
            self.reset()
        return metrics

    def reset(self) -> None:
        self._sums.clear()
        self._counts.clear()
        self._bins = [[] for _ in range(BINS)]


def _deviation(pairs: List[Tuple[float, float]]) -> float:
    """By how much confidences and successes differ in sum."""
    return abs(sum(confidence - right for confidence, right in pairs))
