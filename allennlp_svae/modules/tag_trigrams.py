"""Second-order transitions: the score of a tag after two others."""

import torch
from torch.nn import functional

from allennlp_svae.modules.tag_inventory import TagInventory


class TagTrigrams(torch.nn.Module):
    """
    u(m, m', m'') = Σ_{i ∈ m''} w[pos(m), pos(m'), i]: of MarMoT's features (Müller, Schmid & Schütze
    2013) those of the last two parts of speech with the current tag's parts. All parts of all three tags
    were worse still (Turkish, 500 tokens, dev: 43.1 instead of 45.0 percent of tags, 47.2 without). What
    precedes a sentence is a part of speech of its own. Weights start at zero.

    # Parameters

    inventory : `TagInventory`
    """

    def __init__(self, inventory: TagInventory) -> None:
        super().__init__()
        parts_of_speech, pos = inventory.pos_ids.unique(return_inverse=True)
        # The last part of speech is what precedes a sentence.
        num_pos = len(parts_of_speech) + 1
        self.register_buffer("_pos", pos, False)
        self.register_buffer("_multi_hot", inventory.multi_hot, False)
        self.weight = torch.nn.Parameter(torch.zeros(num_pos, num_pos, len(inventory.parts)))

    def forward(self, tags: torch.LongTensor) -> torch.Tensor:
        """
        # Parameters

        tags : `torch.LongTensor`
            The candidates of each position; shape (batch_size, length, num_candidates).

        # Returns

        For each position but the first the scores of its candidates after those of the two before;
        shape (batch_size, length - 1, num_candidates, num_candidates, num_candidates).
        """
        pos = functional.pad(self._pos[tags], (0, 0, 1, 0), value=len(self.weight) - 1)
        before2, before = pos[:, :-2].unsqueeze(-1), pos[:, 1:-1].unsqueeze(-2)
        # Shape: (batch_size, length - 1, num_candidates, num_candidates, num_parts)
        by_part = self.weight[before2, before]
        return by_part @ self._multi_hot[tags[:, 1:]].transpose(-1, -2).unsqueeze(2)
