"""
Tags that nobody has seen, composed by analogy: where two tags of a part of speech differ in one attribute alone
(`Case=Nom` : `Case=Acc`), a third with the one value is likely to exist with the other.
"""

from collections import Counter, defaultdict
from itertools import permutations
from typing import Dict, FrozenSet, Iterable, List, NamedTuple

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.tag_attributes import attribute_of


class _Exchange(NamedTuple):
    """Features of a part of speech for others, one attribute's at most."""

    pos: str
    removed: FrozenSet[str]
    added: FrozenSet[str]


def composed_tags(tags: Iterable[MorphTag]) -> List[MorphTag]:
    """
    All tags that one exchange makes of a seen one, those that the most analogies speak for first; ties in the order
    of the tags.

    # Parameters

    tags : `Iterable[MorphTag]`
        The seen ones, which are not returned.
    """
    seen = set(tags)
    by_pos: Dict[str, List[MorphTag]] = defaultdict(list)
    for tag in sorted(seen):
        by_pos[tag.pos].append(tag)
    exchanges = Counter(
        exchange
        for same_pos in by_pos.values()
        for one, other in permutations(same_pos, 2)
        if _is_of_one_attribute(
            exchange := _Exchange(
                one.pos, one.features - other.features, other.features - one.features
            )
        )
    )
    support: Dict[MorphTag, int] = Counter()
    for exchange, count in exchanges.items():
        for tag in by_pos[exchange.pos]:
            if exchange.removed <= tag.features:
                rest = tag.features - exchange.removed
                has_attribute = _attributes(rest) & _attributes(exchange.added)
                composed = MorphTag(tag.pos, rest | exchange.added)
                if not has_attribute and composed not in seen:
                    support[composed] += count
    return sorted(support, key=lambda tag: (-support[tag], tag))


def _is_of_one_attribute(exchange: _Exchange) -> bool:
    """Whether one feature at most is lost and won, and if both, of the same attribute."""
    _, removed, added = exchange
    if max(len(removed), len(added)) > 1:
        return False
    return not (removed and added) or _attributes(removed) == _attributes(added)


def _attributes(features: Iterable[str]) -> FrozenSet[str]:
    return frozenset(map(attribute_of, features))
