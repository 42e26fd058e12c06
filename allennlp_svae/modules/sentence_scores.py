"""
`Analyses` by a CRF tagger-lemmatizer: a chain over tags in which each word has one of its lemmas.

    log q(ℓ, m | f) = Σ_n ( w(m_n) · φ(f, n) + s(ℓ_n, m_n | f_n) + t(m_{n-1}, m_n) ) - log Z
"""

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Iterator, List, Literal, Optional, Sequence, Tuple

import torch

from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.modules.best_pairs import best_pairs
from allennlp_svae.modules.candidate_pruning import CandidateStates
from allennlp_svae.modules.chain_crf import ChainCRF, add_boundaries
from allennlp_svae.modules.lemma_scorer import LemmaScores
from allennlp_svae.modules.linear_chain_crf import LinearChainCRF
from allennlp_svae.modules.pruned_chain_crf import PrunedChainCRF
from allennlp_svae.modules.token_analysis import TokenAnalysis


@dataclass(frozen=True)
class SentenceScores:
    """
    Symbols as in `CrfTaggerLemmatizer`.

    # Parameters

    tags : `Sequence[MorphTag]`
        Those of the inventory.
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

    tags: Sequence[MorphTag]
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

    def decode(self, how: Literal["best", "sample"]) -> List[Sentence]:
        # Tags along the chain, then each token's lemma given its tag.
        tags = self.max_chain().viterbi() if how == "best" else self.sum_chain().sample()
        of_tags = self.lemma_scores.of_tags(self.forms[self.mask], tags[self.mask])
        ranks = torch.zeros_like(tags)
        ranks[self.mask] = (
            of_tags.argmax(dim=-1)
            if how == "best"
            else torch.distributions.Categorical(logits=of_tags, validate_args=False).sample()
        )
        rows = zip(tags.tolist(), ranks.tolist(), strict=True)
        return [self._annotated(row, *chosen) for row, chosen in enumerate(rows)]

    def _annotated(self, row: int, tags: Sequence[int], ranks: Sequence[int]) -> Sentence:
        """The sentence of a row with the tags and the candidates of these positions and ranks."""
        lemmas = self.lemma_scores.batch.lemmas
        sentence = self.sentences[row]
        forms = self.forms[row].tolist()
        return Sentence(
            tuple(
                Token(token.form, lemmas[form][rank], self.tags[tag])
                for token, form, tag, rank in zip(sentence.tokens, forms, tags, ranks, strict=False)
            )
        )

    def k_best(self, k: int) -> Iterator[List[Tuple[Sentence, float]]]:
        # Of each form under each tag: its lemmas, best first, and how far each is below the best.
        order, below = [], []
        for form in range(len(self.lemma_scores.batch.lemmas)):
            best = self.lemma_scores.of_form(form).double().sort(dim=0, descending=True)
            order.append(best.indices[:k].t().cpu().numpy())
            below.append((best.values[:k] - best.values[0]).t().cpu().numpy())
        forms = self.forms.tolist()
        partitions = self.sum_chain().log_partition().tolist()
        found = self.max_chain().k_best(k, lambda row, column: below[forms[row][column]])
        for row, (paths, partition) in enumerate(zip(found, partitions, strict=True)):
            ranks = [
                [
                    int(order[form][tag, variant])
                    for form, tag, variant in zip(
                        forms[row], path.states, path.variants, strict=False
                    )
                ]
                for path in paths
            ]
            yield [
                (self._annotated(row, path.states, chosen), path.score - partition)
                for path, chosen in zip(paths, ranks, strict=True)
            ]

    def analyses(self, k: int, within: float = math.inf) -> Iterator[List[List[TokenAnalysis]]]:
        forms = self.forms[self.mask]
        of_tags = self.marginals[self.mask].log()
        best = best_pairs(of_tags, self.lemma_scores, forms, k, within)
        words = [token.form for sentence in self.sentences for token in sentence.tokens]
        lemmas = [self.lemma_scores.batch.lemmas[form] for form in forms.tolist()]
        found: List[List[TokenAnalysis]] = [[] for _ in words]
        for word, candidate, tag, log_prob in zip(*(each.tolist() for each in best), strict=True):
            token = Token(words[word], lemmas[word][candidate], self.tags[tag])
            found[word].append(TokenAnalysis(log_prob, token))
        of_words = iter(found)
        for sentence in self.sentences:
            yield [*islice(of_words, len(sentence))]

    def best_tags(self, k: int) -> Iterator[List[List[TokenAnalysis]]]:
        of_tags = self.marginals.log()
        best = of_tags.topk(min(k, of_tags.size(-1)), dim=-1)
        for sentence, log_probs, tags in zip(
            self.sentences, best.values.tolist(), best.indices.tolist(), strict=True
        ):
            yield [
                [
                    TokenAnalysis(log_prob, Token(token.form, None, self.tags[tag]))
                    for log_prob, tag in zip(*of_token, strict=True)
                    if log_prob > -math.inf
                ]
                for token, *of_token in zip(sentence.tokens, log_probs, tags, strict=False)
            ]

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
