"""The CRF tagger-lemmatizer without what the ablation takes from it."""

from typing import Any

import torch
from allennlp.data import Vocabulary
from allennlp.models import Model

from allennlp_svae.models.crf_tagger_lemmatizer import CrfTaggerLemmatizer
from allennlp_svae.modules.lemma_candidates import CandidateBatch
from allennlp_svae.modules.lemma_scorer import LemmaScorer, LemmaScores


@Model.register("crf_without_attributes")
class CrfWithoutAttributes(CrfTaggerLemmatizer):
    """Tags share weights by their part of speech alone, not by the values of attributes."""

    def __init__(self, vocab: Vocabulary, **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        parts_of_speech = torch.zeros(len(self.inventory.parts))
        parts_of_speech[self.inventory.pos_ids] = 1.0
        self._multi_hot *= parts_of_speech
        self.lemma_scorer = LemmaScorer(self.candidates.num_features, self._multi_hot)


@Model.register("crf_with_lemmas_after_tags")
class CrfWithLemmasAfterTags(CrfTaggerLemmatizer):
    """q(m | f) · Π q(ℓ_n | m_n, f_n): lemmas follow from tags and say nothing about them."""

    def __init__(self, vocab: Vocabulary, **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        self.lemma_scorer = _LocallyNormalized(
            self.candidates.num_features, self.inventory.multi_hot
        )


class _LocallyNormalized(LemmaScorer):
    """Scores are log q(ℓ | m, f)."""

    def forward(self, batch: CandidateBatch) -> LemmaScores:
        scores = super().forward(batch)
        return LemmaScores(scores.scores - scores.log_sum[batch.form_of], batch)
