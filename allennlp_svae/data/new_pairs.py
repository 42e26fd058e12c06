"""Lemmas with tags that they were never seen with: what a model can be asked that the data does not tell."""

import heapq
import random
from collections import Counter, defaultdict
from typing import Counter as CounterOf
from typing import Dict, Iterable, Iterator, List, Tuple

from allennlp_svae.data.tag import MorphTag

Pair = Tuple[str, MorphTag]


def new_pairs(seen: Iterable[Pair], count: int, seed: int) -> List[Pair]:
    """
    Draws pairs ⟨ℓ, m⟩ without replacement: a lemma and a tag that were both seen with the part of speech of
    m, but not with each other. A pair is drawn in proportion to how many distinct tags of that part of speech
    its lemma was seen with, times how many lemmas its tag was: what is productive in the data is asked for
    more.

    # Parameters

    seen : `Iterable[Tuple[str, MorphTag]]`
        Distinct or not.
    count : `int`
        How many pairs; all where there are fewer.
    seed : `int`
        The pairs depend on it and on `seen`, in its order, alone.
    """
    # A dictionary for its order.
    distinct = dict.fromkeys(seen)
    generator = random.Random(seed)
    # The largest of u^(1/w), u uniform, are a weighted sample without replacement (Efraimidis and Spirakis 2006).
    keyed = (
        (generator.random() ** (1.0 / weight), number, pair)
        for number, (pair, weight) in enumerate(_weighted(distinct))
    )
    return [pair for _, _, pair in heapq.nlargest(count, keyed)]


def _weighted(seen: Dict[Pair, None]) -> Iterator[Tuple[Pair, int]]:
    lemmas: Dict[str, CounterOf[str]] = defaultdict(Counter)
    tags: Dict[str, CounterOf[MorphTag]] = defaultdict(Counter)
    for lemma, tag in seen:
        lemmas[tag.pos][lemma] += 1
        tags[tag.pos][tag] += 1
    for pos, of_pos in lemmas.items():
        for lemma, lemma_count in of_pos.items():
            for tag, tag_count in tags[pos].items():
                if (lemma, tag) not in seen:
                    yield (lemma, tag), lemma_count * tag_count
