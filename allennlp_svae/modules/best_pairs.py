"""The most probable pairs of tag and lemma of many words at once."""

import math
from typing import NamedTuple

import torch

from allennlp_svae.modules.lemma_scorer import LemmaScores


class Pairs(NamedTuple):
    """
    Pairs of words, the most probable first; all of shape (num_pairs,).

    # Parameters

    rows, columns : `torch.LongTensor`
        The sentence of each, and the word in it.
    forms, candidates : `torch.LongTensor`
        Which form of the scores the word is, and which candidate of it the lemma.
    tags : `torch.LongTensor`
    log_probs : `torch.Tensor`
        log q(ℓ_n, m_n | f), in nats.
    """

    rows: torch.Tensor
    columns: torch.Tensor
    forms: torch.Tensor
    candidates: torch.Tensor
    tags: torch.Tensor
    log_probs: torch.Tensor


def best_pairs(
    of_tags: torch.Tensor,
    scores: LemmaScores,
    forms: torch.LongTensor,
    mask: torch.BoolTensor,
    k: int,
    within: float = math.inf,
) -> Pairs:
    """
    At least the k most probable pairs of each word, but those alone that are possible, and at most `within` nats less
    probable than its best.

    # Parameters

    of_tags : `torch.Tensor`
        log q(m_n | f) of each tag; shape (batch_size, num_tokens, num_tags).
    scores : `LemmaScores`
    forms : `torch.LongTensor`
        Which form of `scores` each word is; shape (batch_size, num_tokens).
    mask : `torch.BoolTensor`
        Shape (batch_size, num_tokens).
    k : `int`
    within : `float`, optional (default = `math.inf`)
    """
    log_sum = scores.log_sum()
    best_of_tags = of_tags + (scores.maximum() - log_sum)[forms]
    # The k best pairs have no other tags than those whose best pairs are.
    best, tags = best_of_tags.topk(min(k, best_of_tags.size(-1)), dim=-1)
    is_possible = (best >= best[..., :1] - within) & (best > -torch.inf) & mask.unsqueeze(-1)
    rows, columns, ranks = is_possible.nonzero(as_tuple=True)
    # Each of these tags with each of the form's candidates.
    owners, candidates = scores.candidates_of(forms[rows, columns])
    rows, columns, tags = rows[owners], columns[owners], tags[rows, columns, ranks][owners]
    of_lemmas = scores.scores[candidates, tags] - log_sum[forms[rows, columns], tags]
    log_probs = of_tags[rows, columns, tags] + of_lemmas
    is_near = log_probs >= best[rows, columns, 0] - within
    order = log_probs.masked_fill(~is_near, -torch.inf).argsort(descending=True, stable=True)
    order = order[: int(is_near.sum())]
    forms_of_pairs = forms[rows, columns]
    ranks = candidates - scores.batch.starts[forms_of_pairs]
    pairs = Pairs(rows, columns, forms_of_pairs, ranks, tags, log_probs)
    return Pairs(*(each[order] for each in pairs))
