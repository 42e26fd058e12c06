"""The most probable pairs of tag and lemma of many words at once."""

import math
from typing import NamedTuple

import torch

from allennlp_svae.modules.lemma_scorer import LemmaScores
from allennlp_svae.modules.sequences import ranks


class Pairs(NamedTuple):
    """
    Pairs of words, one word after another, the most probable of each first; all of shape (num_pairs,).

    # Parameters

    words : `torch.LongTensor`
        Which word each is of.
    candidates : `torch.LongTensor`
        Which candidate of the word's form the lemma is.
    tags : `torch.LongTensor`
    log_probs : `torch.Tensor`
        log q(ℓ_n, m_n | f), in nats.
    """

    words: torch.Tensor
    candidates: torch.Tensor
    tags: torch.Tensor
    log_probs: torch.Tensor


def best_pairs(
    of_tags: torch.Tensor,
    scores: LemmaScores,
    forms: torch.LongTensor,
    k: int,
    within: float = math.inf,
) -> Pairs:
    """
    The k most probable pairs of each word, but those alone that are possible, and at most `within` nats less probable
    than its best.

    # Parameters

    of_tags : `torch.Tensor`
        log q(m_n | f) of each tag; shape (num_words, num_tags).
    scores : `LemmaScores`
    forms : `torch.LongTensor`
        Which form of `scores` each word is; shape (num_words,).
    k : `int`
    within : `float`, optional (default = `math.inf`)
    """
    best_of_tags = of_tags + (scores.maximum - scores.log_sum)[forms]
    # The k best pairs have no other tags than those whose best pairs are.
    best, tags = best_of_tags.topk(min(k, best_of_tags.size(-1)), dim=-1)
    is_possible = (best >= best[:, :1] - within) & (best > -torch.inf)
    words, columns = is_possible.nonzero(as_tuple=True)
    # Each of these tags with each of the form's candidates.
    owners, candidates = scores.candidates_of(forms[words])
    words, tags = words[owners], tags[words, columns][owners]
    of_lemmas = scores.scores[candidates, tags] - scores.log_sum[forms[words], tags]
    log_probs = of_tags[words, tags] + of_lemmas
    (near,) = (log_probs >= best[words, 0] - within).nonzero(as_tuple=True)
    near = near[log_probs[near].argsort(descending=True, stable=True)]
    near = near[words[near].argsort(stable=True)]
    counts = words[near].bincount(minlength=len(forms))
    kept = near[ranks(counts) < k]
    of_forms = candidates - scores.batch.starts[forms[words]]
    return Pairs(*(each[kept] for each in (words, of_forms, tags, log_probs)))
