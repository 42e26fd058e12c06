"""
The lemmas that are known, beside those that a lemma LM makes up:

    p(ℓ | m) = (c(ℓ, m) + u(m) p(ℓ | t)) / (c(m) + u(m))
    p(ℓ | t) = (c(ℓ, t) + u(t) p_new(ℓ | t)) / (c(t) + u(t))

t is the part of speech of m, c counts what is annotated and u how many distinct lemmas there were, which is how often
one was new (Witten and Bell, 1991). A character LM alone makes up conjunctions as readily as verbs, and gives a pronoun
any person.
"""

from collections import defaultdict
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

import torch
from allennlp.common import FromParams

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.modules.json_state import json_from_tensor, json_to_tensor

Pair = Tuple[str, MorphTag]


class _Known:
    """The lemmas of one tag or part of speech, with their counts."""

    def __init__(self, counts: Dict[str, float]) -> None:
        self._counts = counts
        self._lemmas = list(counts)
        # u: what counts for less than one occurrence has been new for less than once.
        self._new = sum(min(1.0, count) for count in counts.values())
        self._weights = torch.tensor([*counts.values(), self._new], dtype=torch.double)

    def draw(self) -> Optional[str]:
        choice = int(torch.multinomial(self._weights, 1))
        return self._lemmas[choice] if choice < len(self._lemmas) else None

    def prob(self, lemma: str, prob_of_new: float) -> float:
        known = self._counts.get(lemma, 0.0) + self._new * prob_of_new
        return known / float(self._weights.sum())


class LemmaMemory(torch.nn.Module, FromParams):
    """
    Empty, and without effect, until it is filled. Its state, strings and counts, is archived with the model.
    """

    def __init__(self) -> None:
        super().__init__()
        self._know({})

    def fill(
        self, labeled: Iterable[Pair], annotated: Iterable[Pair] = (), gamma: float = 0.0
    ) -> None:
        """
        Forgets what was known and counts anew.

        # Parameters

        labeled : `Iterable[Tuple[str, MorphTag]]`
            Lemma and tag of each labelled token.
        annotated : `Iterable[Tuple[str, MorphTag]]`, optional (default = `()`)
            Of each token that was annotated; together they count γ times as much as the labelled ones, but none more
            than once.
        gamma : `float`, optional (default = `0.0`)
            γ of the objective.
        """
        labeled, annotated = list(labeled), list(annotated)
        weight = min(1.0, gamma * len(labeled) / max(1, len(annotated)))
        pairs: Dict[Pair, float] = {}
        for tokens, count in ((labeled, 1.0), (annotated, weight)):
            for pair in tokens if count else ():
                pairs[pair] = pairs.get(pair, 0.0) + count
        self._know(pairs)

    def draw(self, tags: Sequence[MorphTag]) -> List[Optional[str]]:
        """For each tag a known lemma, or `None` where a new one is due, with torch's global generator."""
        return [self._draw(tag) for tag in tags]

    def prob(self, lemma: str, tag: MorphTag, prob_of_new: float) -> float:
        """
        p(ℓ | m).

        # Parameters

        lemma : `str`
        tag : `MorphTag`
        prob_of_new : `float`
            p_new(ℓ | t), as the lemma LM has it.
        """
        prob = prob_of_new
        for known in reversed(self._levels(tag)):
            prob = known.prob(lemma, prob)
        return prob

    def _levels(self, tag: MorphTag) -> List[_Known]:
        """What is known of the tag and of its part of speech, if anything is."""
        levels = (self._of_tag.get(tag), self._of_pos.get(tag.pos))
        return [known for known in levels if known is not None]

    def _draw(self, tag: MorphTag) -> Optional[str]:
        for known in self._levels(tag):
            lemma = known.draw()
            if lemma is not None:
                return lemma
        return None

    def get_extra_state(self) -> torch.Tensor:
        return json_to_tensor(
            [[lemma, str(tag), count] for (lemma, tag), count in self._pairs.items()]
        )

    def set_extra_state(self, state: torch.Tensor) -> None:
        rows: List[Any] = json_from_tensor(state)
        self._know({(lemma, MorphTag.parse(tag)): count for lemma, tag, count in rows})

    def _know(self, pairs: Dict[Pair, float]) -> None:
        of_tag: Dict[MorphTag, Dict[str, float]] = defaultdict(dict)
        of_pos: Dict[str, Dict[str, float]] = defaultdict(dict)
        for (lemma, tag), count in pairs.items():
            of_tag[tag][lemma] = count
            of_pos[tag.pos][lemma] = of_pos[tag.pos].get(lemma, 0.0) + count
        self._pairs = pairs
        self._of_tag = {tag: _Known(counts) for tag, counts in of_tag.items()}
        self._of_pos = {pos: _Known(counts) for pos, counts in of_pos.items()}
