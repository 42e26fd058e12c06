"""Pruning of a CRF's tags, order by order (Müller, Schmid & Schütze 2013, section 3)."""

from dataclasses import replace
from typing import Dict, List, Optional

import torch
from allennlp.common.checks import ConfigurationError

from allennlp_svae.modules.candidate_pruning import CandidateStates, all_states, prune
from allennlp_svae.modules.chain_crf import add_boundaries
from allennlp_svae.modules.pos_chain import PosChain
from allennlp_svae.modules.sentence_scores import SentenceScores
from allennlp_svae.modules.tag_inventory import TagInventory
from allennlp_svae.modules.tag_trigrams import TagTrigrams
from allennlp_svae.training.ratio import Ratio


class CoarseToFine(torch.nn.Module):
    """
    Has no parameters.

    # Parameters

    inventory : `TagInventory`
    order : `int`
        Of the chain that is left in the end, 1 or 2.
    targets : `List[float]`, optional
        How many tags each order leaves a token, on average in its sentence, for the next; from order 0 on. If `None`,
        all.
    pos_target : `float`, optional
        How many parts of speech a chain of these leaves before. If `None`, there is no such chain.

    # Raises

    `ConfigurationError` where a target leaves no tag, or there are not as many as orders.
    """

    def __init__(
        self,
        inventory: TagInventory,
        order: int,
        targets: Optional[List[float]],
        pos_target: Optional[float],
    ) -> None:
        super().__init__()
        if order not in (1, 2):
            raise ConfigurationError(f"order must be 1 or 2, not {order}.")
        if targets is not None and len(targets) != order:
            raise ConfigurationError(
                f"pruning has {len(targets)} targets; of order {order} it needs {order}, one for each "
                "order below."
            )
        if targets is not None and min(targets) < 1:
            raise ConfigurationError(f"pruning: a target of {min(targets)} leaves tokens no tag.")
        if pos_target is not None and targets is None:
            raise ConfigurationError(
                "pos_pruning is the first pass of pruning: give targets of both."
            )
        if pos_target is not None and pos_target < 1:
            raise ConfigurationError(f"pos_pruning: a target of {pos_target} leaves tokens no tag.")
        self._num_tags = len(inventory)
        self._targets = targets
        self._pos_target = pos_target
        # The parts that are parts of speech, and which of them each tag has.
        parts_of_speech, pos_of_tags = inventory.pos_ids.unique(return_inverse=True)
        self.register_buffer("_parts_of_speech", parts_of_speech, persistent=False)
        self.register_buffer("_pos_of_tags", pos_of_tags, persistent=False)
        self._pruned_tag_rate = Ratio()
        self._candidates_per_token = Ratio()

    def forward(
        self,
        scores: SentenceScores,
        part_transitions: torch.Tensor,
        trigrams: Optional[TagTrigrams] = None,
        keep: Optional[torch.LongTensor] = None,
    ) -> SentenceScores:
        """
        # Parameters

        scores : `SentenceScores`
            Over all tags.
        part_transitions : `torch.Tensor`
            Shape (num_parts, num_parts).
        trigrams : `TagTrigrams`, optional (default = `None`)
            Of order 2.
        keep : `torch.LongTensor`, optional (default = `None`)
            Tags that stay in any case, -1 for none; shape (batch_size, num_tokens). How many would have been pruned is
            counted.

        # Returns

        `SentenceScores`
            Over the tags that are left.
        """
        if self._targets is None:
            if trigrams is None:
                return scores
            return _restricted(scores, all_states(scores.mask, self._num_tags), trigrams)
        is_lost = torch.zeros_like(scores.mask)
        for below, target in enumerate(self._targets):
            with torch.no_grad():
                posteriors = scores.marginals if below else self._coarsest(scores, part_transitions)
            candidates = prune(posteriors, scores.mask, target)
            if keep is not None:
                is_lost = is_lost | candidates.lack(keep)
                candidates = candidates.including(keep)
            is_last = below + 1 == len(self._targets)
            scores = _restricted(scores, candidates, trigrams if is_last else None)
        if keep is not None:
            self._pruned_tag_rate(is_lost.sum(), ((keep >= 0) & scores.mask).sum())
            num_candidates = candidates.is_candidate.sum(dim=-1)
            self._candidates_per_token(num_candidates[scores.mask].sum(), scores.mask.sum())
        return scores

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        """
        Where anything is pruned, `pruned_tag_rate`, the fraction of the tags to be kept that are only left because they
        are, and `candidates_per_token`, how many tags are left.
        """
        if self._targets is None:
            return {}
        return {
            "pruned_tag_rate": self._pruned_tag_rate.get_metric(reset),
            "candidates_per_token": self._candidates_per_token.get_metric(reset),
        }

    def _coarsest(self, scores: SentenceScores, part_transitions: torch.Tensor) -> torch.Tensor:
        """The posteriors that choose the first candidates; shape (batch_size, num_tokens, num_tags)."""
        emissions = add_boundaries(scores.of_tags, scores.mask, scores.initial, scores.final)
        if self._pos_target is None:
            return emissions.softmax(dim=-1)
        of_pos = self._parts_of_speech
        transitions = part_transitions[of_pos.unsqueeze(-1), of_pos]
        chain = PosChain(emissions, self._pos_of_tags, transitions, scores.mask)
        return chain.marginals(self._pos_target)


def _restricted(
    scores: SentenceScores, candidates: CandidateStates, trigrams: Optional[TagTrigrams]
) -> SentenceScores:
    """The scores of a chain over the candidates: of order 2 with trigrams, else of order 1."""
    before, after = candidates.states[:, :-1], candidates.states[:, 1:]
    moves = scores.transitions[before.unsqueeze(-1), after.unsqueeze(-2)]
    if trigrams is not None:
        moves = moves.unsqueeze(2) + trigrams(candidates.states)
    return replace(scores, candidates=candidates, moves=moves)
