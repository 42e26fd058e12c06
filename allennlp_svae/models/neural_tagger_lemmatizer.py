"""
An inference network (paper, section 5.5) of independent words given the sentence's encoding h:

    q(ℓ, m | f) = Π_n q(m_n | h_n) q(ℓ_n | m_n, f_n)

Tags are put together of parts of speech and values of attributes, so that one that was never seen in training can
be the answer: see `TagClassifier`, and `LemmaClassifier` for lemmas.
"""

import heapq
import math
from itertools import islice
from typing import (
    Any,
    Dict,
    Iterable,
    Iterator,
    List,
    Literal,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
)

import numpy
import torch
from allennlp.common.checks import check_dimensions_match
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder, TextFieldEmbedder
from allennlp.nn.util import get_text_field_mask
from torch.nn import functional

from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.data.word_features import ENDING_LENGTHS
from allennlp_svae.models.inference_network import (
    InferenceNetwork,
    TokenAnalysis,
    tag_of,
    with_annotations,
    words_of,
)
from allennlp_svae.modules.lemma_candidates import LemmaCandidates
from allennlp_svae.modules.lemma_classifier import LemmaClassifier, LemmaDistribution
from allennlp_svae.modules.path_search import search_paths
from allennlp_svae.modules.tag_classifier import TagClassifier, TagDistribution
from allennlp_svae.modules.tag_factors import Choices, TagFactors
from allennlp_svae.modules.tag_inventory import TagInventory
from allennlp_svae.modules.word_statistics import WordStatistics
from allennlp_svae.modules.word_vectors import WordVectors

Item = TypeVar("Item")


@Model.register("neural_tagger_lemmatizer")
class NeuralTaggerLemmatizer(InferenceNetwork):
    """
    Its gradient is partly sparse: its optimizer must take that, as `dense_sparse_adam` does.

    # Parameters

    vocab : `Vocabulary`
        With namespaces `morphology`, `lemma_features` and `edit_trees`, as the `tagged_sentences` reader counts
        them, and those of the embedder.
    embedder : `TextFieldEmbedder`
        Embeds words.
    encoder : `Seq2SeqEncoder`
        Over embedded words with their vectors and statistics.
    hidden_dim : `int`
        Of what tells values of attributes from h and a part of speech.
    dropout : `float`, optional (default = `0.0`)
        Applied to what the encoder reads and to h.
    max_candidates : `int`, optional (default = `24`)
        How many lemmas a form may have beside itself: those by the edit trees that are likeliest to be right.
    word_statistics : `WordStatistics`, optional (default = `None`)
        How often words and lemmas occur in raw text, and in which case. Like vectors it needs the token indexer
        `word_features`.
    word_vectors, ending_vectors : `WordVectors`, optional (default = `None`)
        Of words and of their endings.

    # Raises

    `ConfigurationError` where the encoder reads vectors of another size, or that token indexer is lacking.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        embedder: TextFieldEmbedder,
        encoder: Seq2SeqEncoder,
        hidden_dim: int,
        dropout: float = 0.0,
        max_candidates: int = 24,
        word_statistics: Optional[WordStatistics] = None,
        word_vectors: Optional[WordVectors] = None,
        ending_vectors: Optional[WordVectors] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        self.embedder = embedder
        self.word_vectors = word_vectors
        self.ending_vectors = ending_vectors
        self.word_statistics = word_statistics
        self.encoder = encoder
        self._dropout = torch.nn.Dropout(dropout)
        embedded_dim = embedder.get_output_dim()
        if word_vectors is not None:
            embedded_dim += word_vectors.output_dim
        if ending_vectors is not None:
            embedded_dim += len(ENDING_LENGTHS) * ending_vectors.output_dim
        if word_statistics is not None:
            embedded_dim += word_statistics.num_word_features
        check_dimensions_match(
            embedded_dim,
            encoder.get_input_dim(),
            "embedded words with their vectors and statistics",
            "encoder input",
        )
        input_dim = encoder.get_output_dim() + embedded_dim
        inventory = TagInventory(vocab)
        self.factors = TagFactors(inventory.tags)
        # A vocabulary has counts while a run is made; an archive holds what follows from them. How often its rarest
        # tags count depends on how many readers the vocabulary had.
        known = (vocab._retained_counter or {}).get("morphology", {})
        counts = torch.tensor([known.get(str(tag), 0) for tag in inventory.tags])
        is_frequent = counts > counts.min()
        self.tag_classifier = TagClassifier(
            inventory,
            self.factors,
            is_frequent if is_frequent.any() else ~is_frequent,
            input_dim,
            hidden_dim,
        )
        self.register_buffer("_tags", inventory.multi_hot, persistent=False)
        self._parts = inventory.part_ids
        self.candidates = LemmaCandidates(vocab, max_candidates, word_statistics)
        self.lemma_classifier = LemmaClassifier(self.candidates.num_features, len(self._parts))

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
        morphology : `torch.LongTensor`, optional (default = `None`)
            Only tells whether anything is tagged: tags that the vocabulary lacks count too.
        weight : `torch.Tensor`, optional (default = `None`)
            One if absent; shape (batch_size,).
        metadata : `List[Sentence]`
            The sentences themselves: their forms, lemmas and tags are read.

        # Returns

        `loss`, Σ weight · -log q(ℓ, m | f) / batch_size in nats, where anything is tagged. Missing lemmas, and in
        evaluation those that q cannot produce, are summed out. A token whose tag is missing, or is none that q can
        produce, is left out: the sum over the tags of its lemma has too many terms, and alone it would teach
        little. In evaluation also `tags` and `lemmas`, the best ones as strings.
        """
        assert metadata is not None
        scores = self._score(tokens, metadata, extend=self.training and morphology is not None)
        output: Dict[str, Any] = {}
        if morphology is not None:
            gold = self._gold(scores)
            log_probs = self._log_probs(scores, gold)
            of_sentences = torch.stack([each.sum() for each in log_probs.split(scores.lengths)])
            weights = torch.ones_like(of_sentences) if weight is None else weight
            output["loss"] = -(weights * of_sentences).sum() / len(of_sentences)
            self._log_likelihood(log_probs.detach().sum(), morphology.new_tensor(len(log_probs)))
            is_tagged = morphology > 0
            num_known = sum(choices is not None for choices in gold.tags)
            self._unknown_tag_rate(is_tagged.sum() - num_known, is_tagged.sum())
        if not self.training:
            sentences = list(self._best(scores))
            output.update(self._evaluated(sentences, metadata, morphology is not None))
        return output

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        return [sum(each) for each in self._in_batches(instances, self._of_annotations)]

    def posteriors(
        self, instances: Sequence[Instance], annotations: Sequence[Sentence]
    ) -> List[List[float]]:
        annotated = with_annotations(instances, annotations)
        found = self._in_batches(annotated, self._of_annotations)
        return [list(map(math.exp, of_sentence)) for of_sentence in found]

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        """
        `log_likelihood`, in nats a token, of what q can produce; `unknown_tag_rate`, the fraction of tagged
        tokens whose tag it cannot; in evaluation `tag_accuracy`, `pos_accuracy`, `lemma_accuracy` and
        `joint_accuracy`.
        """
        metrics = {} if self.training else self._accuracy.get_metric(reset)
        metrics["log_likelihood"] = self._log_likelihood.get_metric(reset)
        metrics["unknown_tag_rate"] = self._unknown_tag_rate.get_metric(reset)
        return metrics

    def _score(
        self, tokens: TextFieldTensors, sentences: List[Sentence], extend: bool = False
    ) -> "_Scores":
        """All of q for a batch; `extend` adds annotated lemmas to the candidates that lack them."""
        mask = get_text_field_mask(tokens)
        inputs = [self.embedder(tokens)]
        if self.word_vectors is not None:
            inputs.append(self.word_vectors(words_of(tokens)))
        if self.ending_vectors is not None:
            inputs.append(self.ending_vectors(words_of(tokens, "endings")).flatten(-2))
        if self.word_statistics is not None:
            found = self.word_statistics.of_words(words_of(tokens))
            one_hot = functional.one_hot(found, self.word_statistics.num_word_features)
            inputs.append(one_hot.sum(dim=-2).to(inputs[0]))
        embedded = self._dropout(torch.cat(inputs, dim=-1))
        encoded = self._dropout(self.encoder(embedded, mask))
        # Shape: (num_words, input_dim)
        hidden = torch.cat([encoded, embedded], dim=-1)[mask]

        # Candidates are embedded once for each distinct form of the batch.
        words = [token for sentence in sentences for token in sentence.tokens]
        batch, forms = self.candidates.of_words(words, extend, mask.device)
        lemmas = self.lemma_classifier(batch)
        of_lemmas = lemmas.log_sum(self._tags)[self._tensor(forms)]
        return _Scores(
            list(map(len, sentences)),
            words,
            forms,
            [batch.lemmas[form] for form in forms],
            self.tag_classifier(hidden, of_lemmas),
            lemmas,
        )

    def _scores_of(self, tokens: TextFieldTensors, sentences: List[Sentence]) -> "_Scores":
        return self._score(tokens, sentences)

    def _log_probs(self, scores: "_Scores", gold: "_Gold") -> torch.Tensor:
        """log q of each word's lemma and tag, without what `gold` lacks; shape (num_words,)."""
        tagged = [(word, tag) for word, tag in enumerate(gold.tags) if tag is not None]
        both = [(word, tag, rank) for word, tag in tagged if (rank := gold.ranks[word]) is not None]
        log_probs = torch.zeros(len(scores.words), device=self._device)
        if tagged:
            words = self._tensor([word for word, _ in tagged])
            of_tags = scores.tags.log_prob(words, [tag for _, tag in tagged])
            log_probs = log_probs.index_add(0, words, of_tags)
        if both:
            of_lemmas = scores.lemmas.log_probs(
                self._tensor([scores.forms[word] for word, _, _ in both]),
                self._multi_hot([tag for _, tag, _ in both]),
            )
            of_lemmas = of_lemmas.gather(1, self._tensor([[rank] for _, _, rank in both])).squeeze(
                1
            )
            log_probs = log_probs.index_add(0, self._tensor([each[0] for each in both]), of_lemmas)
        return log_probs

    def _gold(self, scores: "_Scores") -> "_Gold":
        return _Gold(
            [None if word.tag is None else self.factors.choices(word.tag) for word in scores.words],
            [
                lemmas.index(word.lemma) if word.lemma in lemmas else None
                for word, lemmas in zip(scores.words, scores.candidates, strict=True)
            ],
        )

    def _of_annotations(self, scores: "_Scores") -> Iterator[List[float]]:
        """log q of each word's tag and, if it has one, lemma; -inf where q cannot produce them."""
        for word in scores.words:
            tag_of(word)
        gold = self._gold(scores)
        is_possible = [
            tag is not None and (rank is not None or word.lemma is None)
            for word, tag, rank in zip(scores.words, gold.tags, gold.ranks, strict=True)
        ]
        values = self._log_probs(scores, gold).tolist()
        yield from scores.by_sentence(
            [
                value if possible else -math.inf
                for value, possible in zip(values, is_possible, strict=True)
            ]
        )

    def _decode(self, scores: "_Scores", how: Literal["best", "sample"]) -> Iterator[Sentence]:
        return self._best(scores) if how == "best" else self._sample(scores)

    def _best(self, scores: "_Scores") -> Iterator[Sentence]:
        analyses = [found[0].token for found in self._best_analyses(scores, 1)]
        yield from map(Sentence, map(tuple, scores.by_sentence(analyses)))

    def _sample(self, scores: "_Scores") -> Iterator[Sentence]:
        tags = scores.tags.sample()
        of_lemmas = scores.lemmas.log_probs(self._tensor(scores.forms), self._multi_hot(tags))
        ranks = torch.distributions.Categorical(logits=of_lemmas, validate_args=False).sample()
        drawn = [
            Token(word.form, lemmas[rank], self.factors.tag_of(choices))
            for word, lemmas, rank, choices in zip(
                scores.words, scores.candidates, ranks.tolist(), tags, strict=True
            )
        ]
        yield from map(Sentence, map(tuple, scores.by_sentence(drawn)))

    def _k_best(self, scores: "_Scores", k: int) -> Iterator[List[Tuple[Sentence, float]]]:
        for found in scores.by_sentence(self._best_analyses(scores, k)):
            # A chain of one state, whose variants are a word's analyses.
            best = numpy.array([[analyses[0].log_prob] for analyses in found])
            below = [
                numpy.array([[analysis.log_prob - analyses[0].log_prob for analysis in analyses]])
                for analyses in found
            ]
            paths = search_paths(
                best.cumsum(axis=0),
                lambda position, _, best=best: best[position],  # type: ignore[misc]
                k,
                below.__getitem__,
            )
            yield [
                (
                    Sentence(
                        tuple(
                            analyses[variant].token
                            for analyses, variant in zip(found, path.variants, strict=True)
                        )
                    ),
                    path.score,
                )
                for path in paths
            ]

    def _analyses(
        self, scores: "_Scores", k: int, within: float = math.inf
    ) -> Iterator[List[List[TokenAnalysis]]]:
        return scores.by_sentence(self._best_analyses(scores, k, within))

    def _best_tags(self, scores: "_Scores", k: int) -> Iterator[List[List[TokenAnalysis]]]:
        return scores.by_sentence(
            [
                TokenAnalysis(log_prob, Token(word.form, None, self.factors.tag_of(choices)))
                for log_prob, choices in islice(tags, k)
            ]
            for word, tags in zip(scores.words, scores.tags.best_first(), strict=True)
        )

    def _best_analyses(
        self, scores: "_Scores", k: int, within: float = math.inf
    ) -> List[List[TokenAnalysis]]:
        """
        For each word its k best pairs of lemma and tag. No lemma makes a tag better than it is alone, so tags are
        tried from the best on until the next is no better than the k-th pair.
        """
        return [
            self._best_of_word(scores, word, tags, k, within)
            for word, tags in enumerate(scores.tags.best_first())
        ]

    def _best_of_word(
        self,
        scores: "_Scores",
        word: int,
        tags: Iterator[Tuple[float, Choices]],
        k: int,
        within: float,
    ) -> List[TokenAnalysis]:
        form = scores.words[word].form
        found: List[Tuple[float, str, Choices]] = []
        for log_prob, choices in tags:
            if found and (
                log_prob < found[0][0] - within or (len(found) == k and log_prob <= found[-1][0])
            ):
                break
            of_lemmas = scores.lemmas.of_form(scores.forms[word], self._part_places(choices))
            pairs = zip(of_lemmas, scores.candidates[word], strict=True)
            found += ((log_prob + of_lemma, lemma, choices) for of_lemma, lemma in pairs)
            found = heapq.nlargest(k, found)
        return [
            TokenAnalysis(log_prob, Token(form, lemma, self.factors.tag_of(choices)))
            for log_prob, lemma, choices in found
            if log_prob >= found[0][0] - within
        ]

    @property
    def _device(self) -> torch.device:
        return self.tag_classifier.is_frequent.device

    def _tensor(self, values: Sequence[Any]) -> torch.Tensor:
        return torch.tensor(values, device=self._device)

    def _part_places(self, choices: Choices) -> List[int]:
        return [self._parts[part] for part in self.factors.tag_of(choices).parts]

    def _multi_hot(self, tags: Sequence[Choices]) -> torch.Tensor:
        """Which parts tags have; shape (num_tags, num_parts)."""
        multi_hot = torch.zeros(len(tags), len(self._parts))
        for row, choices in zip(multi_hot, tags, strict=True):
            row[self._part_places(choices)] = 1.0
        return multi_hot.to(self._device)


class _Gold(NamedTuple):
    """What is annotated and q can produce: the tag, and which candidate the lemma is, of each word."""

    tags: List[Optional[Choices]]
    ranks: List[Optional[int]]


class _Scores(NamedTuple):
    """
    q for the words of a batch of sentences, one after another.

    # Parameters

    lengths : `List[int]`
        Of the sentences.
    words : `List[Token]`
    forms : `List[int]`
        Which form of `lemmas` each word has.
    candidates : `List[Tuple[str, ...]]`
        Each word's lemmas.
    tags : `TagDistribution`
    lemmas : `LemmaDistribution`
    """

    lengths: List[int]
    words: List[Token]
    forms: List[int]
    candidates: List[Tuple[str, ...]]
    tags: TagDistribution
    lemmas: LemmaDistribution

    def by_sentence(self, of_words: Iterable[Item]) -> Iterator[List[Item]]:
        items = iter(of_words)
        return (list(islice(items, length)) for length in self.lengths)
