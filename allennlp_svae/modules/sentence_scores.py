"""
What a CRF tagger-lemmatizer says of a batch of sentences: a chain over tags in which each word has one of its lemmas.

    log q(ℓ, m | f) = Σ_n ( w(m_n) · φ(f, n) + s(ℓ_n, m_n | f_n) + t(m_{n-1}, m_n) ) - log Z
"""

from dataclasses import dataclass
from functools import cached_property
from typing import List, Optional

import torch

from allennlp_svae.data.sentence import Sentence
from allennlp_svae.modules.candidate_pruning import CandidateStates
from allennlp_svae.modules.chain_crf import ChainCRF, add_boundaries
from allennlp_svae.modules.lemma_scorer import LemmaScores
from allennlp_svae.modules.linear_chain_crf import LinearChainCRF
from allennlp_svae.modules.pruned_chain_crf import PrunedChainCRF


@dataclass(frozen=True)
class SentenceScores:
    """
    Symbols as in `CrfTaggerLemmatizer`.

    # Parameters

    sentences : `List[Sentence]`
    mask : `torch.BoolTensor`
        Shape (batch_size, num_tokens).
    emissions : `torch.Tensor`
        w(m) · φ(f, n); shape (batch_size, num_tokens, num_tags).
    of_tags : `torch.Tensor`
        `emissions` and log Σ exp s(ℓ, m | f) over the lemmas; the same shape.
    forms : `torch.LongTensor`
        Which form of `lemma_scores` each token has; shape (batch_size, num_tokens).
    lemmas : `torch.LongTensor`
        Which candidate of its form each annotated lemma is, -1 if none; shape (batch_size, num_tokens).
    lemma_scores : `LemmaScores`
    transitions : `torch.Tensor`
        t(m, m'); shape (num_tags, num_tags).
    initial, final : `torch.Tensor`
        t from the start to each tag and from each tag to the end; shape (num_tags,).
    candidates : `CandidateStates`, optional (default = `None`)
        The tags that are left, of shape (batch_size, num_tokens, num_candidates); all if absent.
    moves : `torch.Tensor`, optional (default = `None`)
        The transitions between candidates, as `PrunedChainCRF` takes them.
    """

    sentences: List[Sentence]
    mask: torch.BoolTensor
    emissions: torch.Tensor
    of_tags: torch.Tensor
    forms: torch.LongTensor
    lemmas: torch.LongTensor
    lemma_scores: LemmaScores
    transitions: torch.Tensor
    initial: torch.Tensor
    final: torch.Tensor
    candidates: Optional[CandidateStates] = None
    moves: Optional[torch.Tensor] = None

    def sum_chain(self) -> ChainCRF:
        """Over tags, lemmas summed out."""
        return self._chain(self.of_tags)

    @cached_property
    def marginals(self) -> torch.Tensor:
        """q(m_n | f); as `emissions`."""
        return self.sum_chain().marginals()

    def max_chain(self) -> ChainCRF:
        """Over tags, each with its best lemma."""
        return self._chain(self.emissions + self.lemma_scores.maximum[self.forms])

    def log_prob(self, tags: torch.LongTensor) -> torch.Tensor:
        """
        log q of the annotation, shape (batch_size,); tags and lemmas of -1 are summed out.

        # Parameters

        tags : `torch.LongTensor`
            Positions in the inventory; shape (batch_size, num_tokens).
        """
        partition = self.sum_chain().log_partition()
        is_lemma_known = (self.lemmas >= 0).unsqueeze(-1)
        clamped = torch.where(is_lemma_known, self.emissions + self._of_lemmas(), self.of_tags)
        if bool(((tags >= 0) | ~self.mask).all()):
            return self._chain(clamped).path_score(tags.clamp(min=0)) - partition
        states = torch.arange(clamped.size(-1), device=tags.device)
        ruled_out = (tags >= 0).unsqueeze(-1) & (states != tags.unsqueeze(-1))
        clamped = clamped.masked_fill(ruled_out, -torch.inf)
        return self._chain(clamped).log_partition() - partition

    def lemma_posteriors(self) -> torch.Tensor:
        """q(ℓ_n | m_n, f_n) of the annotated lemmas, 0 where that is none of the candidates; as `emissions`."""
        log_sum = self.lemma_scores.log_sum[self.forms]
        is_lemma_known = (self.lemmas >= 0).unsqueeze(-1)
        return (self._of_lemmas() - log_sum).exp().masked_fill(~is_lemma_known, 0.0)

    def _of_lemmas(self) -> torch.Tensor:
        """s(ℓ_n, m | f_n) of the annotated lemmas, of any lemma where there is none; as `emissions`."""
        starts = self.lemma_scores.batch.starts[self.forms]
        return self.lemma_scores.scores[starts + self.lemmas.clamp(min=0)]

    def _chain(self, emissions: torch.Tensor) -> ChainCRF:
        if self.candidates is None:
            return LinearChainCRF(emissions, self.transitions, self.mask, self.initial, self.final)
        assert self.moves is not None
        emissions = add_boundaries(emissions, self.mask, self.initial, self.final)
        return PrunedChainCRF(emissions, self.moves, self.mask, self.candidates)
