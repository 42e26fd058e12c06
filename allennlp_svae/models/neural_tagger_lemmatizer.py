"""
An inference network (paper, section 5.5) of independent words given the sentence's encoding h:

    q(ℓ, m | f) = Π_n q(m_n | h_n) q(ℓ_n | m_n, f_n)

Tags are put together of parts of speech and values of attributes, so that one that was never seen in training can
be the answer: see `TagClassifier`, and `LemmaClassifier` for lemmas.
"""

import math
from typing import (
    Any,
    Dict,
    Iterator,
    List,
    Optional,
    Sequence,
)

import torch
from allennlp.common.checks import check_dimensions_match
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules import Seq2SeqEncoder, TextFieldEmbedder
from allennlp.nn.util import get_text_field_mask
from torch.nn import functional

from allennlp_svae.data.sentence import Sentence
from allennlp_svae.data.word_features import ENDING_LENGTHS
from allennlp_svae.dataset_readers.tagged_sentences import tag_counts
from allennlp_svae.models.inference_network import (
    InferenceNetwork,
    tag_of,
    with_annotations,
    words_of,
)
from allennlp_svae.modules.lemma_candidates import LemmaCandidates
from allennlp_svae.modules.lemma_classifier import LemmaClassifier
from allennlp_svae.modules.tag_classifier import TagClassifier
from allennlp_svae.modules.tag_factors import TagFactors
from allennlp_svae.modules.tag_inventory import TagInventory
from allennlp_svae.modules.token_analysis import Analyses
from allennlp_svae.modules.word_scores import WordScores
from allennlp_svae.modules.word_statistics import WordStatistics
from allennlp_svae.modules.word_vectors import WordVectors


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
        # A vocabulary has counts while a run is made; an archive holds what follows from them.
        counts = tag_counts(vocab)
        is_frequent = torch.tensor([counts[tag] > 1 for tag in inventory.tags])
        self.tag_classifier = TagClassifier(
            inventory,
            self.factors,
            is_frequent if is_frequent.any() else ~is_frequent,
            input_dim,
            hidden_dim,
        )
        self.register_buffer("_tags", inventory.multi_hot, persistent=False)
        self._part_places = inventory.part_ids
        self.candidates = LemmaCandidates(vocab, max_candidates, word_statistics)
        self.lemma_classifier = LemmaClassifier(
            self.candidates.num_features, len(self._part_places)
        )

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
            gold = scores.gold()
            log_probs = scores.log_probs(gold)
            of_sentences = torch.stack([each.sum() for each in log_probs.split(scores.lengths)])
            weights = torch.ones_like(of_sentences) if weight is None else weight
            output["loss"] = -(weights * of_sentences).sum() / len(of_sentences)
            self._log_likelihood(log_probs.detach().sum(), morphology.new_tensor(gold.num_tags))
            is_tagged = morphology > 0
            self._unknown_tag_rate(is_tagged.sum() - gold.num_tags, is_tagged.sum())
        if not self.training:
            sentences = list(scores.decode("best"))
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
        `log_likelihood`, in nats a token whose tag q can produce; `unknown_tag_rate`, the fraction of tagged
        tokens whose tag it cannot; in evaluation `tag_accuracy`, `pos_accuracy`, `lemma_accuracy` and
        `joint_accuracy`.
        """
        metrics = {} if self.training else self._accuracy.get_metric(reset)
        metrics["log_likelihood"] = self._log_likelihood.get_metric(reset)
        metrics["unknown_tag_rate"] = self._unknown_tag_rate.get_metric(reset)
        return metrics

    def _score(
        self, tokens: TextFieldTensors, sentences: List[Sentence], extend: bool = False
    ) -> WordScores:
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
        of_lemmas = lemmas.log_sum(self._tags)[torch.tensor(forms, device=mask.device)]
        return WordScores(
            self.factors,
            self._part_places,
            list(map(len, sentences)),
            words,
            forms,
            [batch.lemmas[form] for form in forms],
            self.tag_classifier(hidden, of_lemmas),
            lemmas,
        )

    def _scores_of(self, tokens: TextFieldTensors, sentences: List[Sentence]) -> Analyses:
        return self._score(tokens, sentences)

    def _of_annotations(self, scores: WordScores) -> Iterator[List[float]]:
        """log q of each word's tag and, if it has one, lemma; -inf where q cannot produce them."""
        for word in scores.words:
            tag_of(word)
        gold = scores.gold()
        is_possible = [
            tag is not None and (rank is not None or word.lemma is None)
            for word, tag, rank in zip(scores.words, gold.tags, gold.ranks, strict=True)
        ]
        values = scores.log_probs(gold).tolist()
        yield from scores.by_sentence(
            [
                value if possible else -math.inf
                for value, possible in zip(values, is_possible, strict=True)
            ]
        )
