"""What a lexicon tells of a word's tag, and which tags it alone lets a word have."""

from functools import lru_cache
from typing import NamedTuple, Sequence, Tuple

import torch

from allennlp_svae.modules.lexicon import Lexicon
from allennlp_svae.modules.tag_inventory import TagInventory

CACHE_SIZE = 50_000


class _Entry(NamedTuple):
    tags: Tuple[int, ...]  # positions of tags that are listed
    pos_tags: Tuple[int, ...]  # of those with a part of speech that is listed
    parts: Tuple[int, ...]  # that occur in a listed tag


class LexiconScorer(torch.nn.Module):
    """
    Adds to a tag's score a weight if the lexicon lists it for the form, another if it lists its part of speech,
    and for each part that is listed a weight on each part of the tag: a lexicon need not follow a treebank's
    conventions to tell something. Forms that it does not list get nothing.

    # Parameters

    lexicon : `Lexicon`
    inventory : `TagInventory`
        With the lexicon's tags.
    num_everywhere : `int`
        The tags from this position on are possible only where the lexicon lists them.
    """

    def __init__(self, lexicon: Lexicon, inventory: TagInventory, num_everywhere: int) -> None:
        super().__init__()
        num_tags, num_parts = inventory.multi_hot.shape
        self._lexicon = lexicon
        self._inventory = inventory
        self.register_buffer("_multi_hot", inventory.multi_hot, persistent=False)
        everywhere = torch.arange(num_tags) < num_everywhere
        self.register_buffer("_everywhere", everywhere, persistent=False)
        self.listed = torch.nn.Parameter(torch.zeros(2))
        self.parts = torch.nn.Linear(num_parts, num_parts, bias=False)
        torch.nn.init.zeros_(self.parts.weight)
        self._entry = lru_cache(maxsize=CACHE_SIZE)(self._look_up)

    def forward(self, forms: Sequence[Sequence[str]]) -> torch.Tensor:
        """
        # Parameters

        forms : `Sequence[Sequence[str]]`
            Of the words of each sentence.

        # Returns

        `torch.Tensor`
            Scores to be added, -inf where a tag is not possible; shape (batch_size, num_tokens, num_tags).
        """
        num_tags, num_parts = self._multi_hot.shape
        shape = (len(forms), max(map(len, forms)))
        is_listed = self._multi_hot.new_zeros(*shape, 2, num_tags)
        parts = self._multi_hot.new_zeros(*shape, num_parts)
        for row, sentence in enumerate(forms):
            for column, form in enumerate(sentence):
                entry = self._entry(form)
                is_listed[row, column, 0, entry.tags] = 1.0
                is_listed[row, column, 1, entry.pos_tags] = 1.0
                parts[row, column, entry.parts] = 1.0
        of_tags = torch.einsum("bnkt,k->bnt", is_listed, self.listed)
        possible = self._everywhere | (is_listed[..., 0, :] > 0)
        scores = of_tags + self.parts(parts) @ self._multi_hot.t()
        return scores.masked_fill(~possible, -torch.inf)

    def _look_up(self, form: str) -> _Entry:
        tags = self._lexicon.tags_of(form)
        part_ids = self._inventory.part_ids
        pos = {part_ids[tag.pos] for tag in tags}
        return _Entry(
            tuple(map(self._inventory.index_of, tags)),
            tuple(
                index
                for index, of_tag in enumerate(self._inventory.pos_ids.tolist())
                if of_tag in pos
            ),
            tuple({part_ids[part] for tag in tags for part in tag.parts}),
        )
