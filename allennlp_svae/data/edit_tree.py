"""
Edit trees: how a string becomes another, said so that it carries over to further strings.

`edit_tree(source, target)` keeps the longest common substring of both and recurses into what is left
and right of it. A node stores only how long those two sides of the source are, a leaf replaces one
string by another, so the tree of (goes, go) also turns `does` into `do`. Chrupała (2008), section 2.4;
Müller, Cotterell, Fraser & Schütze (2015), section 2.1.
"""

from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Iterator, List, Optional, Tuple, Union

_SYNTAX = frozenset("\\(|>)")


@dataclass(frozen=True)
class Replace:
    """A leaf: turns exactly `source` into `target`."""

    source: str
    target: str

    def apply(self, text: str) -> Optional[str]:
        return self.target if text == self.source else None

    def leaves(self) -> Iterator["Replace"]:
        yield self

    def __str__(self) -> str:
        return f"{_escape(self.source)}>{_escape(self.target)}"


@dataclass(frozen=True)
class Split:
    """A node: what stands between the first `before` and the last `after` characters stays."""

    before: int
    after: int
    left: "EditTree"
    right: "EditTree"

    def apply(self, text: str) -> Optional[str]:
        """The edited text; `None` where the tree does not apply to it."""
        end = len(text) - self.after
        if end < self.before:
            return None
        left = self.left.apply(text[: self.before])
        if left is None:
            return None
        right = self.right.apply(text[end:])
        if right is None:
            return None
        return left + text[self.before : end] + right

    def leaves(self) -> Iterator[Replace]:
        """The replacements from left to right."""
        yield from self.left.leaves()
        yield from self.right.leaves()

    def __str__(self) -> str:
        return f"({self.before}|{self.left}|{self.right}|{self.after})"


EditTree = Union[Replace, Split]

# Nothing changes.
_SAME = Split(0, 0, Replace("", ""), Replace("", ""))


@lru_cache(maxsize=65536)
def edit_tree(source: str, target: str) -> EditTree:
    """The tree for which `edit_tree(source, target).apply(source) == target`."""
    if source and source == target:
        return _SAME
    match = SequenceMatcher(None, source, target, autojunk=False).find_longest_match()
    if match.size == 0:
        return Replace(source, target)
    source_end, target_end = match.a + match.size, match.b + match.size
    return Split(
        match.a,
        len(source) - source_end,
        edit_tree(source[: match.a], target[: match.b]),
        edit_tree(source[source_end:], target[target_end:]),
    )


def cost(tree: EditTree) -> int:
    """How many characters the tree deletes and inserts."""
    return sum(len(leaf.source) + len(leaf.target) for leaf in tree.leaves())


def parse(text: str) -> EditTree:
    """
    The inverse of `str(tree)`, which has no whitespace and no line ends and is safe in a vocabulary file.

    # Raises

    `ValueError` where the text is not such a serialisation.
    """
    try:
        tree, end = _parse(text, 0)
    except (IndexError, ValueError) as error:
        raise ValueError(f"{text!r} is not an edit tree.") from error
    if end != len(text):
        raise ValueError(f"{text!r} is not an edit tree: it goes on after {text[:end]!r}.")
    return tree


def _parse(text: str, start: int) -> Tuple[EditTree, int]:
    if text[start : start + 1] != "(":
        source, middle = _unescape(text, start)
        if text[middle] != ">":
            raise ValueError("a replacement without '>'")
        target, end = _unescape(text, middle + 1)
        return Replace(source, target), end
    bar = text.index("|", start)
    before = int(text[start + 1 : bar])
    left, bar = _parse(text, bar + 1)
    right, bar = _parse(text, bar + 1)
    end = text.index(")", bar)
    return Split(before, int(text[bar + 1 : end]), left, right), end + 1


def _escape(text: str) -> str:
    """Writes syntax, whitespace and unprintable characters (lone surrogates too) as `\\hex;`."""
    return "".join(
        char
        if char.isprintable() and not char.isspace() and char not in _SYNTAX
        else f"\\{ord(char):x};"
        for char in text
    )


def _unescape(text: str, start: int) -> Tuple[str, int]:
    chars: List[str] = []
    position = start
    while position < len(text) and (text[position] == "\\" or text[position] not in _SYNTAX):
        if text[position] == "\\":
            end = text.index(";", position)
            chars.append(chr(int(text[position + 1 : end], 16)))
            position = end + 1
        else:
            chars.append(text[position])
            position += 1
    return "".join(chars), position
