"""The whole tags of a vocabulary and the parts (POS, features) that they share: paper, section 4.2 (1)."""

from typing import Dict, Iterable, List

import torch
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Vocabulary

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.inflections import MORPHOLOGY

SPECIALS = (START_SYMBOL, END_SYMBOL)


class TagInventory:
    """
    Lists the `MorphTag`s of a vocabulary's namespace `morphology` in the order of their ids, without padding and
    unknown, and then further ones.

    # Parameters

    vocab : `Vocabulary`
    specials : `bool`, optional (default = `False`)
        Whether `START_SYMBOL` and `END_SYMBOL`, where the vocabulary has them, are listed too: as
        tags whose only part (their POS) is their own name.
    further : `Iterable[MorphTag]`, optional (default = `()`)
        Others; they have no id.

    # Attributes

    tags : `List[MorphTag]`
    ids : `torch.LongTensor`
        The vocabulary id of each tag of the vocabulary; shape (num_tags_with_id,).
    positions : `torch.LongTensor`
        For each vocabulary id the position of its tag in `tags`, -1 where it has none;
        shape (vocab_size,).
    parts : `List[str]`
        Every POS and feature of the tags, sorted.
    part_ids : `Dict[str, int]`
        The position of each in `parts`.
    multi_hot : `torch.Tensor`
        Which parts each tag has, as zeros and ones; shape (num_tags, num_parts).
    pos_ids : `torch.LongTensor`
        The position in `parts` of each tag's POS; shape (num_tags,).
    """

    def __init__(
        self,
        vocab: Vocabulary,
        specials: bool = False,
        further: Iterable[MorphTag] = (),
    ) -> None:
        self.tags: List[MorphTag] = []
        ids: List[int] = []
        not_tags = {vocab._padding_token, vocab._oov_token}
        for index, token in sorted(vocab.get_index_to_token_vocabulary(MORPHOLOGY).items()):
            if token in not_tags or (token in SPECIALS and not specials):
                continue
            ids.append(index)
            self.tags.append(MorphTag(token) if token in SPECIALS else MorphTag.parse(token))
        self.ids = torch.tensor(ids, dtype=torch.long)
        self.positions = torch.full((vocab.get_vocab_size(MORPHOLOGY),), -1, dtype=torch.long)
        self.positions[self.ids] = torch.arange(len(ids))
        known = set(self.tags)
        self.tags += (tag for tag in further if tag not in known)
        self.parts: List[str] = sorted({part for tag in self.tags for part in tag.parts})
        self.part_ids: Dict[str, int] = {part: index for index, part in enumerate(self.parts)}
        self.multi_hot = torch.zeros(len(self.tags), len(self.parts))
        for row, tag in zip(self.multi_hot, self.tags, strict=True):
            row[[self.part_ids[part] for part in tag.parts]] = 1.0
        self.pos_ids = torch.tensor([self.part_ids[tag.pos] for tag in self.tags], dtype=torch.long)
        self._index: Dict[MorphTag, int] = {tag: index for index, tag in enumerate(self.tags)}

    def __len__(self) -> int:
        return len(self.tags)

    def __contains__(self, tag: MorphTag) -> bool:
        return tag in self._index

    def index_of(self, tag: MorphTag) -> int:
        """The position of `tag` in `tags`; raises `KeyError` where the vocabulary lacks it."""
        return self._index[tag]
