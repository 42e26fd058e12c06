"""
The log-linear score s(ℓ, m | f) of a lemma candidate under each tag: its features alone, with the part
of speech and with each feature of the tag (Müller, Cotterell, Fraser & Schütze 2015, section 3.1).
"""

from typing import Tuple

import torch

from allennlp_svae.modules.lemma_candidates import CandidateBatch
from allennlp_svae.modules.sequences import ranks
from allennlp_svae.modules.sparse_linear import SparseLinear


class LemmaScores:
    """
    The scores s(ℓ, m | f) of all candidates of several forms.

    # Parameters

    scores : `torch.Tensor`
        Shape (num_candidates, num_tags).
    batch : `CandidateBatch`

    # Attributes

    maximum : `torch.Tensor`
        max over the lemmas of each form, without gradient; shape (num_forms, num_tags).
    log_sum : `torch.Tensor`
        log Σ exp over the lemmas of each form; shape (num_forms, num_tags).
    """

    def __init__(self, scores: torch.Tensor, batch: CandidateBatch) -> None:
        self.scores = scores
        self.batch = batch
        index = batch.form_of.unsqueeze(-1).expand_as(scores)
        empty = scores.new_empty(len(batch.lemmas), scores.size(1))
        self.maximum = empty.scatter_reduce(0, index, scores.detach(), "amax", include_self=False)
        summands = (scores - self.maximum[batch.form_of]).exp()
        sums = torch.zeros_like(self.maximum).index_add(0, batch.form_of, summands)
        self.log_sum = self.maximum + sums.log()

    def of_tags(self, forms: torch.LongTensor, tags: torch.LongTensor) -> torch.Tensor:
        """
        The scores of each lemma of pairs of a form and a tag, -inf after the last.

        # Parameters

        forms, tags : `torch.LongTensor`
            Shape (num_pairs,).

        # Returns

        Shape (num_pairs, max_candidates).
        """
        rows, is_beyond = self.batch.rows(forms)
        return self.scores[rows, tags.unsqueeze(-1)].masked_fill(is_beyond, -torch.inf)

    def candidates_of(self, forms: torch.LongTensor) -> Tuple[torch.LongTensor, torch.LongTensor]:
        """
        All candidates of several forms, one form after another.

        # Parameters

        forms : `torch.LongTensor`
            Shape (num_forms,).

        # Returns

        Which of the forms each candidate is of, and its row of `scores`; shape (num_candidates,).
        """
        counts = self.batch.counts[forms]
        owners = torch.repeat_interleave(counts)
        return owners, self.batch.starts[forms][owners] + ranks(counts)

    def of_form(self, form: int) -> torch.Tensor:
        """Shape (num_candidates_of_form, num_tags)."""
        start = int(self.batch.starts[form])
        return self.scores[start : start + int(self.batch.counts[form])]


class LemmaScorer(torch.nn.Module):
    """
    # Parameters

    num_features : `int`
        Of lemma candidates.
    multi_hot : `torch.Tensor`
        The parts of each tag; shape (num_tags, num_parts).
    """

    def __init__(self, num_features: int, multi_hot: torch.Tensor) -> None:
        super().__init__()
        # The first column is the feature whatever the tag.
        alone_and_parts = torch.cat([multi_hot.new_ones(len(multi_hot), 1), multi_hot], dim=1)
        self.register_buffer("_alone_and_parts", alone_and_parts, persistent=False)
        self.linear = SparseLinear(num_features, alone_and_parts.size(1))

    def forward(self, batch: CandidateBatch) -> LemmaScores:
        by_part = self.linear(batch.features, batch.offsets)
        # Shape: (num_candidates, num_tags)
        return LemmaScores(by_part @ self._alone_and_parts.t(), batch)
