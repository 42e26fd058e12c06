"""
The inference network as a joint CRF tagger-lemmatizer in the manner of LEMMING (paper, section 5.5):

    q(ℓ, m | f) ∝ exp Σ_n ( w(m_n) · φ(f, n) + s(ℓ_n, m_n | f_n) + t(m_{n-1}, m_n) )

and, of order 2, u(m_{n-2}, m_{n-1}, m_n) in the sum. The weights of a whole tag are sums over its
parts: w over the tag itself, its part of speech and its features; t over all pairs of a part of the one
and a part of the other tag; u over the parts of the last, given the parts of speech of the two before;
s over the part of speech and the features. φ are sparse binary features of a word in its sentence.
ℓ_n ranges over what the edit trees seen in training make of f_n, so summing lemmas out leaves a chain
CRF over tags. Pruned, q is the CRF over those tags of each token that the orders below find likely.
"""

from typing import (
    Any,
    Dict,
    Iterator,
    List,
    Optional,
    Sequence,
)

import numpy
import torch
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model
from torch.nn import functional

from allennlp_svae.data.composed_tags import composed_tags
from allennlp_svae.data.sentence import Sentence
from allennlp_svae.dataset_readers.word_features_indexer import WORD_FEATURES
from allennlp_svae.models.inference_network import (
    InferenceNetwork,
    tag_of,
    with_annotations,
    words_of,
)
from allennlp_svae.modules.coarse_to_fine import CoarseToFine
from allennlp_svae.modules.lemma_candidates import LemmaCandidates
from allennlp_svae.modules.lemma_scorer import LemmaScorer
from allennlp_svae.modules.lexicon import Lexicon
from allennlp_svae.modules.lexicon_scorer import LexiconScorer
from allennlp_svae.modules.sentence_scores import SentenceScores
from allennlp_svae.modules.tag_inventory import TagInventory
from allennlp_svae.modules.tag_trigrams import TagTrigrams
from allennlp_svae.modules.token_analysis import Analyses
from allennlp_svae.modules.word_scorer import WordScorer
from allennlp_svae.modules.word_statistics import WordStatistics
from allennlp_svae.modules.word_vectors import WordVectors


@Model.register("crf_tagger_lemmatizer")
class CrfTaggerLemmatizer(InferenceNetwork):
    """
    # Parameters

    vocab : `Vocabulary`
        With namespaces `morphology`, `words`, `word_features`, `lemma_features` and `edit_trees`, as the
        `tagged_sentences` reader counts them. If it holds a `lexicon`, this adds lemmas and tags to the candidates
        of the forms that it lists, and what it says of them is learned to be relied on or not.
    max_candidates : `int`, optional (default = `24`)
        How many lemmas a form may have beside itself: those by the edit trees that are likeliest to be right.
    order : `int`, optional (default = `1`)
        How many tags back the transitions look: 1 or 2.
    pruning : `List[float]`, optional (default = `None`)
        How many tags a token of each sentence has on average after each order below `order`, from 0 on;
        see `prune`. Without it all tags stay and inference is exact, which costs num_tags² or, of order 2,
        num_tags³ a token. An annotated tag is never pruned from the loss. No weight depends on it: what was
        trained without can be pruned when it is loaded.
    pos_pruning : `float`, optional (default = `None`)
        With `pruning`: how many parts of speech a token of each sentence has on average after a pass before order 0,
        a chain over parts of speech, whose posteriors then replace those of order 0; see `PosChain`.
    composed_tag_ratio : `float`, optional (default = `0.0`)
        So many times the tags seen are composed by analogy and possible too; see `composed_tags`. What their parts
        weigh is all that speaks for them. The default is none, since one in ten that were chosen were right.
    word_statistics : `WordStatistics`, optional (default = `None`)
        How often words and lemmas occur in raw text, and in which case, as further features.
    word_vectors, ending_vectors : `WordVectors`, optional (default = `None`)
        Dense features of words and of their endings.

    # Raises

    `ConfigurationError` where `order` is another, `pruning` has not a target of at least 1 for each order below,
    or `pos_pruning` is below 1 or without `pruning`.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        max_candidates: int = 24,
        order: int = 1,
        pruning: Optional[List[float]] = None,
        pos_pruning: Optional[float] = None,
        composed_tag_ratio: float = 0.0,
        word_statistics: Optional[WordStatistics] = None,
        word_vectors: Optional[WordVectors] = None,
        ending_vectors: Optional[WordVectors] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        lexicon = Lexicon(vocab)
        seen = TagInventory(vocab).tags
        composed = composed_tags(seen)[: int(composed_tag_ratio * len(seen))]
        self.inventory = TagInventory(vocab, further=[*composed, *sorted(lexicon.tags)])
        num_parts, num_seen = len(self.inventory.parts), len(seen)
        self.register_buffer("_multi_hot", self.inventory.multi_hot, persistent=False)
        self.register_buffer("_positions", self.inventory.positions, persistent=False)
        num_everywhere = num_seen + len(composed)
        self.lexicon = (
            LexiconScorer(lexicon, self.inventory, num_everywhere) if len(lexicon) else None
        )
        self.candidates = LemmaCandidates(vocab, max_candidates, word_statistics, lexicon)
        self.word_scorer = WordScorer(
            vocab.get_vocab_size(WORD_FEATURES),
            num_parts + num_seen,
            word_statistics,
            word_vectors,
            ending_vectors,
        )
        self.lemma_scorer = LemmaScorer(self.candidates.num_features, self.inventory.multi_hot)
        self.part_transitions = torch.nn.Parameter(torch.zeros(num_parts, num_parts))
        self.initial_parts = torch.nn.Parameter(torch.zeros(num_parts))
        self.final_parts = torch.nn.Parameter(torch.zeros(num_parts))
        self.trigrams = TagTrigrams(self.inventory) if order == 2 else None
        self.pruning = CoarseToFine(self.inventory, order, pruning, pos_pruning)

    def forward(
        self,
        tokens: TextFieldTensors,
        morphology: Optional[torch.LongTensor] = None,
        weight: Optional[torch.Tensor] = None,
        metadata: Optional[List[Sentence]] = None,
    ) -> Dict[str, Any]:
        """
        # Parameters

        tokens : `TextFieldTensors`
            Features of shape (batch_size, num_tokens, num_features) and the mask.
        morphology : `torch.LongTensor`, optional (default = `None`)
            Tags as ids of the vocabulary, 0 where there is none; shape (batch_size, num_tokens).
        weight : `torch.Tensor`, optional (default = `None`)
            One if absent; shape (batch_size,).
        metadata : `List[Sentence]`
            The sentences themselves: their forms and lemmas are read.

        # Returns

        `loss`, Σ weight · -log q(ℓ, m | f) / batch_size in nats, where anything is tagged. Lemmas and tags
        that are missing, tags that q does not know, and in evaluation lemmas that it cannot produce, are
        summed out. In evaluation also `tags` and `lemmas`, the best ones as strings.
        """
        assert metadata is not None
        unpruned = self._score(tokens, metadata, extend=self.training and morphology is not None)
        output: Dict[str, Any] = {}
        if morphology is not None:
            tags = self._positions[morphology]
            scores = self._prune(unpruned, tags)
            log_probs = scores.log_prob(tags)
            weights = torch.ones_like(log_probs) if weight is None else weight
            output["loss"] = -(weights * log_probs).sum() / len(log_probs)
            is_scored = ((tags >= 0) | (scores.lemmas >= 0)) & scores.mask
            self._log_likelihood(log_probs.detach().sum(), is_scored.sum())
            is_tagged = morphology > 0
            self._unknown_tag_rate((is_tagged & (tags < 0)).sum(), is_tagged.sum())
        if not self.training:
            sentences = self._prune(unpruned).decode("best")
            output.update(self._evaluated(sentences, metadata, morphology is not None))
        return output

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        return self._in_batches(instances, self._exact_log_prob)

    def posteriors(
        self, instances: Sequence[Instance], annotations: Sequence[Sentence]
    ) -> List[List[float]]:
        def compute(scores: SentenceScores) -> Iterator[List[float]]:
            tags = self._positions_of_tags(scores)
            # q(m_n | f) · q(ℓ_n | m_n, f_n); shape: (batch_size, num_tokens, num_tags)
            of_lemmas = torch.where(self._is_lemma_missing(scores), 1.0, scores.lemma_posteriors())
            joint = scores.marginals * of_lemmas
            probs = joint.gather(-1, tags.clamp(min=0).unsqueeze(-1)).squeeze(-1)
            rows = probs.masked_fill(tags < 0, 0.0).tolist()
            return (row[: len(each)] for row, each in zip(rows, scores.sentences, strict=True))

        annotated = with_annotations(instances, annotations)
        return self._in_batches(annotated, compute)

    def marginals(self, instances: Sequence[Instance]) -> List[numpy.ndarray]:
        """For each sentence q(m_n | f) in the order of `inventory.tags`; shape (num_tokens, num_tags)."""

        def compute(scores: SentenceScores) -> Iterator[numpy.ndarray]:
            rows = scores.marginals.cpu().numpy()
            return (row[: len(each)] for row, each in zip(rows, scores.sentences, strict=True))

        return self._in_batches(instances, compute)

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        """
        `log_likelihood`, in nats a token whose tag or lemma q can produce; `unknown_tag_rate`, the fraction of
        tagged tokens whose tag the training data lack; in evaluation `tag_accuracy`, `pos_accuracy`, `lemma_accuracy`
        and `joint_accuracy`. With pruning also `pruned_tag_rate`, the fraction of tagged tokens whose tag
        was only kept because it is the annotated one, and `candidates_per_token`, how many tags stayed.
        """
        metrics = {} if self.training else self._accuracy.get_metric(reset)
        metrics["log_likelihood"] = self._log_likelihood.get_metric(reset)
        metrics["unknown_tag_rate"] = self._unknown_tag_rate.get_metric(reset)
        return {**metrics, **self.pruning.get_metrics(reset)}

    def _score(
        self, tokens: TextFieldTensors, sentences: List[Sentence], extend: bool = False
    ) -> SentenceScores:
        """All scores of a batch; `extend` adds annotated lemmas to the candidates that lack them."""
        mask = words_of(tokens, "mask")
        by_part = self.word_scorer(
            words_of(tokens, "features"), words_of(tokens), words_of(tokens, "endings")
        )
        num_parts = self._multi_hot.size(1)
        # Shape: (batch_size, num_tokens, num_tags)
        emissions = by_part[..., :num_parts] @ self._multi_hot.t()
        of_whole_tags = by_part[..., num_parts:]
        num_further = emissions.size(-1) - of_whole_tags.size(-1)
        emissions = emissions + functional.pad(of_whole_tags, (0, num_further))
        if self.lexicon is not None:
            emissions = emissions + self.lexicon([sentence.forms for sentence in sentences])

        # Candidates are scored once for each distinct form of the batch.
        words = [token for sentence in sentences for token in sentence.tokens]
        batch, of_words = self.candidates.of_words(words, extend, mask.device)
        forms = torch.zeros(mask.shape, dtype=torch.long, device=mask.device)
        forms[mask] = torch.tensor(of_words, device=mask.device)
        lemmas = torch.full_like(forms, -1)
        available = [batch.lemmas[form] for form in of_words]
        lemmas[mask] = torch.tensor(
            [
                known.index(word.lemma) if word.lemma in known else -1
                for word, known in zip(words, available, strict=True)
            ],
            device=mask.device,
        )
        lemma_scores = self.lemma_scorer(batch)
        return SentenceScores(
            self.inventory.tags,
            sentences,
            mask,
            emissions,
            emissions + lemma_scores.log_sum[forms],
            forms,
            lemmas,
            lemma_scores,
            self._multi_hot @ self.part_transitions @ self._multi_hot.t(),
            self._multi_hot @ self.initial_parts,
            self._multi_hot @ self.final_parts,
        )

    def _scores_of(self, tokens: TextFieldTensors, sentences: List[Sentence]) -> Analyses:
        return self._prune(self._score(tokens, sentences))

    def _prune(
        self, scores: SentenceScores, keep: Optional[torch.LongTensor] = None
    ) -> SentenceScores:
        """The scores over the tags that pruning leaves; `keep` as in `CoarseToFine`."""
        return self.pruning(scores, self.part_transitions, self.trigrams, keep)

    def _exact_log_prob(self, scores: SentenceScores) -> Iterator[float]:
        tags = self._positions_of_tags(scores)
        is_lemma_possible = (scores.lemmas >= 0) | self._is_lemma_missing(scores).squeeze(-1)
        is_possible = ((tags >= 0) & is_lemma_possible | ~scores.mask).all(dim=1)
        log_probs = scores.log_prob(tags.clamp(min=0))
        yield from log_probs.masked_fill(~is_possible, -torch.inf).tolist()

    def _is_lemma_missing(self, scores: SentenceScores) -> torch.Tensor:
        """Where there is no lemma, rather than one that q cannot produce; shape (batch_size, num_tokens, 1)."""
        is_missing = torch.zeros(scores.forms.shape, dtype=torch.bool)
        for row, sentence in enumerate(scores.sentences):
            for column, token in enumerate(sentence.tokens):
                is_missing[row, column] = token.lemma is None
        return is_missing.to(scores.forms.device).unsqueeze(-1)

    def _positions_of_tags(self, scores: SentenceScores) -> torch.LongTensor:
        """In the inventory, -1 where it lacks the tag, 0 on padding; shape (batch_size, num_tokens)."""
        tags = torch.zeros(scores.forms.shape, dtype=torch.long)
        for row, sentence in enumerate(scores.sentences):
            for column, token in enumerate(sentence.tokens):
                tag = tag_of(token)
                is_known = tag in self.inventory
                tags[row, column] = self.inventory.index_of(tag) if is_known else -1
        return tags.to(scores.forms.device)
