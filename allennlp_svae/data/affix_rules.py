"""
The affix rules of the CoNLL–SIGMORPHON 2017 shared task's baseline (Cotterell et al., 2017), the
paper's FST (section 7.4): from an alignment of lemma and form, what to replace at either end, for
each tag.
"""

from collections import Counter, defaultdict
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

from allennlp_svae.data.sentence import Triple
from allennlp_svae.data.tag import MorphTag

# Costs in tenths. A substitution costs slightly more than either gap, much less than both.
GAP_COST = 10
SUBSTITUTION_COST = 11
# Pairs with one of these say nothing about which end of a word a language inflects.
NOT_IN_WORDS = frozenset(" -")

Column = Tuple[Optional[str], Optional[str]]
Rule = Tuple[str, str]


class Parts(NamedTuple):
    """An aligned pair in three: what is added or dropped at either end, and the stem between."""

    prefix: Tuple[str, str]
    stem: List[Column]
    suffix: Tuple[str, str]


class RuleTable:
    """Rewritings of one end of a word under one tag, counted once a pair."""

    def __init__(self) -> None:
        self.counts: Dict[str, Dict[str, int]] = defaultdict(Counter)

    def add(self, rules: Iterable[Rule]) -> None:
        for left, right in set(rules):
            self.counts[left][right] += 1


class AffixRules:
    """
    Inflects by the rules read off some inflections.

    # Parameters

    triples : `Iterable[Triple]`
        Distinct inflections. Repeated ones count again.
    """

    def __init__(self, triples: Iterable[Triple]) -> None:
        triples = list(triples)
        self.prefixing = inflects_at_front(triples)
        self._suffix_rules: Dict[MorphTag, RuleTable] = defaultdict(RuleTable)
        self._prefix_rules: Dict[MorphTag, RuleTable] = defaultdict(RuleTable)
        for form, lemma, tag in triples:
            parts = split_affixes(align(self._oriented(lemma), self._oriented(form)))
            self._suffix_rules[tag].add(suffix_rules(parts))
            self._prefix_rules[tag].add(prefix_rules(parts))

    def inflect(self, lemma: str, tag: MorphTag) -> str:
        """
        The form: the lemma itself under an unseen tag; else the matching suffix rule with the
        longest left side (then the most frequent, then the longest right side), then the most
        frequent matching prefix rule, are applied.
        """
        if tag not in self._suffix_rules:
            return lemma
        word = self._oriented(lemma)
        return self._oriented(self._apply_prefix_rule(self._apply_suffix_rule(word, tag), tag))

    def _oriented(self, word: str) -> str:
        return word[::-1] if self.prefixing else word

    def _apply_suffix_rule(self, word: str, tag: MorphTag) -> str:
        counts = self._suffix_rules[tag].counts
        for start in range(len(word) + 1):
            if word[start:] in counts:
                rights = counts[word[start:]]
                # The string itself last, so that the choice does not hang on the order of the data.
                best = max(rights, key=lambda right: (rights[right], len(right), right))
                return word[:start] + best
        return word

    def _apply_prefix_rule(self, word: str, tag: MorphTag) -> str:
        matching = [
            (count, -len(left), right, left)
            for left, rights in self._prefix_rules[tag].counts.items()
            if word.startswith(left)
            for right, count in rights.items()
        ]
        if not matching:
            return word
        _, _, right, left = max(matching)
        return right + word[len(left) :]


def inflects_at_front(triples: Iterable[Triple]) -> bool:
    """
    Whether lemma and form tend to agree at their ends rather than at their beginnings: over the
    best gapless alignments, more padding leads than trails. All words are then read backwards.
    """
    leading = trailing = 0
    for form, lemma, _ in triples:
        if NOT_IN_WORDS.isdisjoint(lemma) and NOT_IN_WORDS.isdisjoint(form):
            shift = best_shift(lemma, form)
            leading += abs(shift)
            trailing += abs(shift + len(form) - len(lemma))
    return leading > trailing


def best_shift(lemma: str, form: str) -> int:
    """
    By how much to shift the form to the right of the lemma (left, if negative) for the fewest
    columns with two different characters or only one.
    """
    return min(
        _shifts(lemma, form),
        key=lambda shift: _mismatches(lemma, form, shift),
    )


def _shifts(lemma: str, form: str) -> List[int]:
    return [*range(len(lemma) + 1), *range(-1, -len(form) - 1, -1)]


def _mismatches(lemma: str, form: str, shift: int) -> int:
    overlap = zip(lemma[max(shift, 0) :], form[max(-shift, 0) :], strict=False)
    agreeing = sum(left == right for left, right in overlap)
    columns = max(len(lemma), shift + len(form)) - min(0, shift)
    return columns - agreeing


def align(lemma: str, form: str) -> List[Column]:
    """
    The cheapest alignment, columns of a character or a gap (`None`) of each. Among equally cheap
    ones, from the left, a match or substitution comes before an insertion, and that before a
    deletion.
    """
    # cost[i][j]: of aligning lemma[i:] with form[j:]
    cost = [[0] * (len(form) + 1) for _ in range(len(lemma) + 1)]
    for i in range(len(lemma), -1, -1):
        for j in range(len(form), -1, -1):
            if i == len(lemma) or j == len(form):
                cost[i][j] = GAP_COST * (len(lemma) - i + len(form) - j)
            else:
                cost[i][j] = min(
                    cost[i + 1][j + 1] + _substitution(lemma[i], form[j]),
                    cost[i][j + 1] + GAP_COST,
                    cost[i + 1][j] + GAP_COST,
                )
    columns: List[Column] = []
    i = j = 0
    while i < len(lemma) or j < len(form):
        left = lemma[i] if i < len(lemma) else None
        right = form[j] if j < len(form) else None
        if (
            left is not None
            and right is not None
            and cost[i][j] == cost[i + 1][j + 1] + _substitution(left, right)
        ):
            columns.append((left, right))
            i, j = i + 1, j + 1
        elif right is not None and cost[i][j] == cost[i][j + 1] + GAP_COST:
            columns.append((None, right))
            j += 1
        else:
            columns.append((left, None))
            i += 1
    return columns


def _substitution(left: str, right: str) -> int:
    return 0 if left == right else SUBSTITUTION_COST


def split_affixes(columns: List[Column]) -> Parts:
    """
    Prefix and suffix are the longest runs of gaps, on either side, that an alignment begins and
    ends with.
    """
    front = max(_leading_gaps(columns, side) for side in (0, 1))
    back = min(max(_leading_gaps(columns[::-1], side) for side in (0, 1)), len(columns) - front)
    end = len(columns) - back
    return Parts(_strings(columns[:front]), columns[front:end], _strings(columns[end:]))


def _leading_gaps(columns: List[Column], side: int) -> int:
    return next(
        (position for position, column in enumerate(columns) if column[side] is not None),
        len(columns),
    )


def _strings(columns: List[Column]) -> Tuple[str, str]:
    left = "".join(column[0] or "" for column in columns)
    right = "".join(column[1] or "" for column in columns)
    return left, right


def suffix_rules(parts: Parts) -> List[Rule]:
    """
    What the lemma's end becomes, from each column of the stem and from the suffix on, down to
    nothing.
    """
    rules = []
    left, right = parts.suffix
    width = max(len(left), len(right))
    for start in range(width + 1):
        rules.append((left[start:], right[start:]))
    for column in reversed(parts.stem):
        left, right = (column[0] or "") + left, (column[1] or "") + right
        rules.append((left, right))
    return rules


def prefix_rules(parts: Parts) -> List[Rule]:
    """
    What the lemma's beginning becomes: the prefix with each beginning of the form's stem, short of
    all of it.
    """
    stem = [column[1] or "" for column in parts.stem]
    left, right = parts.prefix
    return [
        (left + "".join(stem[:length]), right + "".join(stem[:length]))
        for length in range(len(stem))
    ]
