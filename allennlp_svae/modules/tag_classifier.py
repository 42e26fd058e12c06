"""
The distribution over tags given a word in its sentence, h: a tag is taken as a whole, or put together.

    q(m | h) = λ(h) q(m as a whole | h) + (1 - λ(h)) q(t | h) Π_a q(v_a | h, t)

As a whole a tag scores what its parts score, something of its own, and s(m, f): how well any lemma of the form goes
with it. t is the part of speech that is put together with a value v_a of each attribute a, or none; of an attribute
that no tag has beside t it is none. Whole tags know which values go together; the product gives mass to combinations
that training does not have. Tags that occur once there are never taken as a whole: from them λ learns when new ones are
to be expected, as by Good and Turing they tell how many.
"""

import heapq
from typing import Iterator, List, Optional, Sequence, Tuple

import numpy
import torch
from torch.nn import functional

from allennlp_svae.modules.best_products import best_products
from allennlp_svae.modules.tag_factors import Choices, TagFactors
from allennlp_svae.modules.tag_inventory import TagInventory

Products = Iterator[Tuple[float, Tuple[int, ...]]]


class TagDistribution:
    """
    q(m | h) of several words.

    # Parameters

    factors : `TagFactors`
    known : `torch.LongTensor`
        What the whole tags are made of, as `Choices`; shape (num_tags, 1 + num_attributes).
    pos : `torch.Tensor`
        log q(t | h); shape (num_words, num_pos).
    values : `torch.Tensor`
        log q(v | h, t); shape (num_words, num_pos, num_values).
    whole : `torch.Tensor`
        log λ q(m as a whole | h) and, as the last, log (1 - λ); shape (num_words, num_tags + 1).
    """

    def __init__(
        self,
        factors: TagFactors,
        known: torch.LongTensor,
        pos: torch.Tensor,
        values: torch.Tensor,
        whole: torch.Tensor,
    ) -> None:
        self._sizes, self._open = factors.sizes, factors.open_attributes
        self._starts = numpy.cumsum([0, *factors.sizes])[:-1]
        self._known = known
        self._known_choices: List[Choices] = list(map(tuple, known.tolist()))
        self._index = {choices: index for index, choices in enumerate(self._known_choices)}
        self._pos, self._values = pos, values
        self._whole, self._put_together = whole, whole[:, -1:]

    def log_prob(self, words: torch.LongTensor, tags: Sequence[Choices]) -> torch.Tensor:
        """
        log q of a tag for each of some words; shape (num_asked,).

        # Parameters

        words : `torch.LongTensor`
            Which words; shape (num_asked,).
        tags : `Sequence[Choices]`
            A tag for each.
        """
        choices = torch.tensor(tags, device=words.device)
        pos, places = choices[:, :1], choices[:, 1:]
        factored = self._put_together[words, 0] + self._pos[words].gather(1, pos).squeeze(1)
        factored = factored + self._values[words.unsqueeze(1), pos, places].sum(dim=1)
        known = torch.tensor([self._index.get(tag, -1) for tag in tags], device=words.device)
        whole = self._whole[words, known.clamp(min=0)].masked_fill(known < 0, -torch.inf)
        return torch.logaddexp(factored, whole)

    def sample(self) -> List[Choices]:
        """A tag for each word, drawn with torch's global generator."""
        pos = _draw(self._pos)
        values = self._values[torch.arange(len(pos), device=pos.device), pos]
        of_attributes = zip(self._starts.tolist(), values.split(self._sizes, dim=-1), strict=True)
        places = [start + _draw(log_probs) for start, log_probs in of_attributes]
        factored = torch.stack([pos, *places], dim=1).tolist()
        whole = _draw(self._whole).tolist()
        return [
            self._known_choices[index] if index < len(self._known_choices) else tuple(choices)
            for index, choices in zip(whole, factored, strict=True)
        ]

    def best_first(self) -> List[Iterator[Tuple[float, Choices]]]:
        """For each word all tags that have any probability, best first, with log q."""
        pos, places = self._known[:, 0], self._known[:, 1:]
        # Shape: (num_words, num_tags)
        factored = self._pos[:, pos] + self._values[:, pos.unsqueeze(1), places].sum(dim=-1)
        known = torch.logaddexp(self._whole[:, :-1], factored + self._put_together)
        tensors = (known, self._pos + self._put_together, self._values)
        arrays = [tensor.detach().double().cpu().numpy() for tensor in tensors]
        return [self._merged(*of_word) for of_word in zip(*arrays, strict=True)]

    def _merged(
        self, known: numpy.ndarray, pos: numpy.ndarray, values: numpy.ndarray
    ) -> Iterator[Tuple[float, Choices]]:
        order = numpy.argsort(-known, kind="stable").tolist()
        whole = ((-float(known[tag]), self._known_choices[tag], True) for tag in order)
        for negated, choices, is_known in heapq.merge(whole, self._products(pos, values)):
            # A known tag has come before: the product alone is less.
            if is_known or choices not in self._index:
                yield -negated, choices

    def _products(
        self, pos: numpy.ndarray, values: numpy.ndarray
    ) -> Iterator[Tuple[float, Choices, bool]]:
        """What the parts give each combination of theirs, negated, from the best on."""
        best = pos + numpy.maximum.reduceat(values, self._starts, axis=1).sum(axis=1)
        of_attributes = numpy.split(values, self._starts[1:], axis=1)
        queue: List[Tuple[float, int, Optional[Choices], Products]] = [
            (-bound, place, None, iter(())) for place, bound in enumerate(best.tolist())
        ]
        heapq.heapify(queue)
        while queue:
            negated, place, choices, products = heapq.heappop(queue)
            if choices is not None:
                yield negated, choices, False
            else:
                # Most parts of speech are never asked.
                products = best_products([of_attributes[each][place] for each in self._open[place]])
            for score, ranks in products:
                places = self._starts.copy()
                places[self._open[place]] += numpy.array(ranks, dtype=int)
                chosen = (place, *places.tolist())
                heapq.heappush(queue, (-score - float(pos[place]), place, chosen, products))
                break


def _draw(log_probs: torch.Tensor) -> torch.LongTensor:
    return torch.distributions.Categorical(logits=log_probs, validate_args=False).sample()


class TagClassifier(torch.nn.Module):
    """
    # Parameters

    inventory : `TagInventory`
    factors : `TagFactors`
        Of the inventory's tags.
    is_frequent : `torch.BoolTensor`
        Which tags can be taken as a whole; shape (num_tags,).
    input_dim : `int`
        Size of h.
    hidden_dim : `int`
        Size of h together with a part of speech.
    """

    def __init__(
        self,
        inventory: TagInventory,
        factors: TagFactors,
        is_frequent: torch.BoolTensor,
        input_dim: int,
        hidden_dim: int,
    ) -> None:
        super().__init__()
        self._factors = factors
        num_pos, num_values = factors.is_possible.shape
        known = torch.tensor([factors.choices(tag) for tag in inventory.tags])
        self.register_buffer("_known", known, persistent=False)
        self.register_buffer("_is_possible", factors.is_possible, persistent=False)
        # Counts are not among what an archive keeps of the vocabulary.
        self.register_buffer("is_frequent", is_frequent)
        self.pos = torch.nn.Linear(input_dim, num_pos)
        self.hidden = torch.nn.Linear(input_dim, hidden_dim)
        self.pos_embedding = torch.nn.Parameter(torch.randn(num_pos, hidden_dim))
        self.values = torch.nn.Linear(hidden_dim, num_values)
        self.value_bias = torch.nn.Parameter(torch.zeros(num_pos, num_values))
        self.parts = torch.nn.Linear(input_dim, len(inventory.parts), bias=False)
        self.register_buffer("_multi_hot", inventory.multi_hot, persistent=False)
        self.whole = torch.nn.Linear(input_dim, len(inventory))
        self.gate = torch.nn.Linear(input_dim, 1)

    def forward(self, hidden: torch.Tensor, of_lemmas: torch.Tensor) -> TagDistribution:
        """
        # Parameters

        hidden : `torch.Tensor`
            h; shape (num_words, input_dim).
        of_lemmas : `torch.Tensor`
            s(m, f); shape (num_words, num_tags).
        """
        # Shape: (num_words, num_pos, hidden_dim)
        with_pos = torch.tanh(self.hidden(hidden).unsqueeze(1) + self.pos_embedding)
        values = self.values(with_pos) + self.value_bias
        values = values.masked_fill(~self._is_possible, -torch.inf)
        of_attributes = values.split(self._factors.sizes, dim=-1)
        whole = self.parts(hidden) @ self._multi_hot.t() + self.whole(hidden) + of_lemmas
        whole = whole.masked_fill(~self.is_frequent, -torch.inf).log_softmax(dim=-1)
        gate = self.gate(hidden)
        return TagDistribution(
            self._factors,
            self._known,
            self.pos(hidden).log_softmax(dim=-1),
            # Where tags have no attributes there is nothing to split.
            torch.cat([values[..., :0], *(each.log_softmax(dim=-1) for each in of_attributes)], -1),
            torch.cat([functional.logsigmoid(gate) + whole, functional.logsigmoid(-gate)], dim=-1),
        )
