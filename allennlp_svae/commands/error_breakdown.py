"""Inflections that were predicted, in groups that show where the errors are. Knows no torch."""

from collections import Counter
from typing import Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, TextIO, Tuple

from allennlp_svae.data.errors import DataError

SAME = "same"
CAPITALISED = "capitalised"
OTHER = "other"

SEEN = (
    "seen tag, seen lemma",
    "seen tag, unseen lemma",
    "unseen tag, seen lemma",
    "unseen tag, unseen lemma",
)
CASINGS = {SAME: "the lemma's", CAPITALISED: "capitalised, lemma lower-case", OTHER: OTHER}
CASE_ERRORS = ("right but for case", "wrong in other ways")
# Bands of edit distances by the least distance in them.
LEMMA_DISTANCES = {0: "0", 1: "1", 2: "2", 3: "3–4", 5: "5–6", 7: "7+"}
ERROR_DISTANCES = {1: "1", 2: "2", 3: "3", 4: "4+"}


class Item(NamedTuple):
    """
    A predicted inflection; the fields are the columns of the file that `write_items` writes.

    # Parameters

    lemma, tag, gold, predicted : `str`
    log_prob : `float`
        Of the predicted form, in nats.
    correct, right_but_for_case : `bool`
        At most one of them is true.
    seen_tag, seen_lemma : `bool`
        Whether the training data had it.
    casing : `str`
        `SAME`, `CAPITALISED` or `OTHER`; see `casing_of`.
    lemma_to_gold, predicted_to_gold : `int`
        Edit distances.
    pos : `str`
    """

    lemma: str
    tag: str
    gold: str
    predicted: str
    log_prob: float
    correct: bool
    right_but_for_case: bool
    seen_tag: bool
    seen_lemma: bool
    casing: str
    lemma_to_gold: int
    predicted_to_gold: int
    pos: str


class Group(NamedTuple):
    name: str
    items: int
    errors: int


class Block(NamedTuple):
    """A grouping under its title; accuracy says nothing where only errors are grouped."""

    title: str
    groups: List[Group]
    of_errors: bool = False


def casing_of(form: str, lemma: str) -> str:
    """
    `SAME` where the form has the lemma's casing: both or neither begin with a capital, and as many
    capitals follow (`İzmir'de`, `ABD'nin`), or both have no other letters than capitals.
    `CAPITALISED` where the first letter is the form's one capital and the lemma has none (`Irmaklar`
    of `ırmak`). `OTHER` else.
    """
    first, later, all_capitals = _capitals(form)
    lemma_first, lemma_later, lemma_all_capitals = _capitals(lemma)
    if (first, later) == (lemma_first, lemma_later) or (all_capitals and lemma_all_capitals):
        return SAME
    if first and not (later or lemma_first or lemma_later):
        return CAPITALISED
    return OTHER


def _capitals(word: str) -> Tuple[bool, int, bool]:
    """Whether the first letter is a capital, how many of the others are, and whether all are."""
    letters = [char.isupper() or char.istitle() for char in word if char.isalpha()]
    return letters[:1] == [True], sum(letters[1:]), bool(letters) and all(letters)


def breakdown(items: Sequence[Item]) -> List[Block]:
    """The items' groupings. Groups that a grouping always has may be empty."""
    errors = [item for item in items if not item.correct]
    return [
        Block("", [_group("all", items)]),
        Block("tag and lemma", _by(items, _seen, SEEN)),
        Block(
            "casing of the form", _by(items, lambda item: CASINGS[item.casing], CASINGS.values())
        ),
        Block(
            "edit distance from lemma to form",
            _by(items, _lemma_distance, LEMMA_DISTANCES.values()),
        ),
        Block("part of speech", _by(items, lambda item: item.pos)),
        Block("errors by case", _by(errors, _case_error, CASE_ERRORS), of_errors=True),
        Block(
            "errors by edit distance from the form",
            _by(errors, _error_distance, ERROR_DISTANCES.values()),
            of_errors=True,
        ),
    ]


def _seen(item: Item) -> str:
    return SEEN[2 * (not item.seen_tag) + (not item.seen_lemma)]


def _lemma_distance(item: Item) -> str:
    return _band(item.lemma_to_gold, LEMMA_DISTANCES)


def _error_distance(item: Item) -> str:
    return _band(item.predicted_to_gold, ERROR_DISTANCES)


def _band(distance: int, bands: Dict[int, str]) -> str:
    return bands[max(least for least in bands if least <= distance)]


def _case_error(item: Item) -> str:
    return CASE_ERRORS[not item.right_but_for_case]


def _by(
    items: Sequence[Item], name_of: Callable[[Item], str], names: Optional[Iterable[str]] = None
) -> List[Group]:
    """One group for each of `names`, or for each name there is, the most frequent first."""
    if names is None:
        counts = Counter(map(name_of, items))
        names = sorted(counts, key=lambda name: (-counts[name], name))
    return [_group(name, [item for item in items if name_of(item) == name]) for name in names]


def _group(name: str, items: Sequence[Item]) -> Group:
    return Group(name, len(items), sum(not item.correct for item in items))


def table(blocks: Sequence[Block], items: int, errors: int) -> str:
    """
    A line a group: how many items, which share of all items in percent, accuracy in percent, which
    share of all errors in percent; `-` where that is nothing to speak of.
    """
    lines = [["", "items", "% of items", "accuracy", "% of errors"]]
    for block in blocks:
        if block.title:
            lines += [[], [block.title]]
        for group in block.groups:
            right = None if block.of_errors else group.items - group.errors
            lines.append(
                [
                    f"  {group.name}",
                    str(group.items),
                    _percent(group.items, items),
                    _percent(right, group.items),
                    _percent(group.errors, errors),
                ]
            )
    widths = [max(len(line[0]) for line in lines if line), *map(len, lines[0][1:])]
    return "\n".join(_aligned(line, widths) for line in lines)


def _percent(part: Optional[int], whole: int) -> str:
    return "-" if part is None or not whole else f"{100 * part / whole:.1f}"


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    cells = [
        cell.rjust(width) if number else cell.ljust(width)
        for number, (cell, width) in enumerate(zip(line, widths, strict=False))
    ]
    return "  ".join(cells).rstrip()


def write_items(file: TextIO, items: Iterable[Item]) -> None:
    """
    Writes a header and a tab-separated line an item; yes and no are 1 and 0.

    # Raises

    `DataError` where a string holds a tab or a line break.
    """
    file.write("\t".join(Item._fields) + "\n")
    for item in items:
        cells = [_cell(value) for value in item]
        if set("".join(cells)) & set("\t\n\r"):
            raise DataError(
                f"A line of a TSV file cannot hold {item.lemma!r}, {item.gold!r} and "
                f"{item.predicted!r}.",
                remedy="replace tabs and line breaks in the data.",
            )
        file.write("\t".join(cells) + "\n")


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:.4f}" if isinstance(value, float) else str(value)
