"""
The morphological tag language model (paper, section 4.2 (1), Appendix A):

    p(m) = Π_i p(m_i | m_{<i})
    h_i = LSTM(h_{i-1}, e(m_{i-1}))        p(m_i | m_{<i}) = softmax(e'(m_i) · h_i + b)

with e and e' multi-hot: sums over the part of speech and the features of a tag.
"""

from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch
from allennlp.common.checks import ConfigurationError, check_dimensions_match
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.modules.batching import in_batches
from allennlp_svae.modules.evaluating import evaluating
from allennlp_svae.modules.language_modeling import (
    check_is_left_to_right,
    negative_log_likelihood,
    sample_sequences,
)
from allennlp_svae.modules.multi_hot_tag import TagSoftmax, multi_hot_embedder, part_ids_of
from allennlp_svae.modules.tag_inventory import TagInventory
from allennlp_svae.training.ratio import Ratio, perplexity


@Model.register("tag_lm")
class TagLanguageModel(Model):
    """
    p(m) over sequences of whole tags: those of the vocabulary's `morphology` namespace, and END. A
    tag outside it is read (by its parts) but not predicted.

    # Parameters

    vocab : `Vocabulary`
        Its namespaces `morphology` and `tag_parts` come from the `tag_sequences` reader.
    embedding_dim : `int`
        The size of e(m), the input of the contextualizer; e' has the size of its output.
    contextualizer : `Seq2SeqEncoder`
        Reads left to right (`lstm`).
    dropout : `float`, optional (default = `0.2`)
        On the input and the output of the contextualizer.
    tie_embeddings : `bool`, optional (default = `False`)
        Whether e' is e.

    # Raises

    `ConfigurationError` where the vocabulary has no START and END, or the dimensions do not match.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        embedding_dim: int,
        contextualizer: Seq2SeqEncoder,
        dropout: float = 0.2,
        tie_embeddings: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        check_is_left_to_right(contextualizer)
        check_dimensions_match(
            embedding_dim, contextualizer.get_input_dim(), "embedding_dim", "contextualizer input"
        )
        inventory = TagInventory(vocab, specials=True)
        if not {MorphTag(START_SYMBOL), MorphTag(END_SYMBOL)} <= set(inventory.tags):
            raise ConfigurationError(
                "The vocabulary's namespace `morphology` has no START and END. Remedy: build it "
                "from instances of the `tag_sequences` reader."
            )
        self._tags = inventory.tags
        self._start = inventory.index_of(MorphTag(START_SYMBOL))
        self._end = inventory.index_of(MorphTag(END_SYMBOL))
        # Both follow from the vocabulary, so neither belongs in a checkpoint.
        self.register_buffer("_positions", inventory.positions, persistent=False)
        self.register_buffer("_part_ids", part_ids_of(inventory, vocab), persistent=False)

        self.contextualizer = contextualizer
        self.embedder = multi_hot_embedder(vocab, embedding_dim)
        output_dim = contextualizer.get_output_dim()
        if tie_embeddings:
            check_dimensions_match(
                embedding_dim, output_dim, "embedding_dim", "contextualizer output"
            )
        output_embedder = self.embedder if tie_embeddings else multi_hot_embedder(vocab, output_dim)
        self.softmax = TagSoftmax(inventory, vocab, output_embedder)
        self.dropout = torch.nn.Dropout(dropout)
        self._metrics = {"nats_per_tag": Ratio(), "unknown_tag_rate": Ratio()}

    def forward(
        self, tags: TextFieldTensors, weight: Optional[torch.Tensor] = None
    ) -> Dict[str, torch.Tensor]:
        """
        # Parameters

        tags : `TextFieldTensors`
            Whole tags between START and END, indexed as `morphology` (shape (batch_size, length))
            and as `parts` (shape (batch_size, length, num_parts)).
        weight : `torch.Tensor`, optional (default = `None`)
            The weight of each sentence in the loss; shape (batch_size,).

        # Returns

        `loss`: nats per predicted tag (END is one, an unknown or missing tag is none), weighted above the
        line only, so that a weight scales a sentence's part of the objective.
        """
        nll, num_known, num_unknown = self._nll(tags)
        self._metrics["nats_per_tag"](nll.sum(), num_known.sum())
        # END is no tag of the sentence's, and always known.
        num_ends = len(nll)
        self._metrics["unknown_tag_rate"](
            num_unknown.sum(), (num_known + num_unknown).sum() - num_ends
        )
        weighted = nll if weight is None else weight * nll
        return {"loss": weighted.sum() / num_known.sum()}

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        """
        `perplexity`: of the known tags and END, unweighted; `unknown_tag_rate`: the fraction of
        tags that the vocabulary lacks.
        """
        return {
            "perplexity": perplexity(self._metrics["nats_per_tag"].get_metric(reset)),
            "unknown_tag_rate": self._metrics["unknown_tag_rate"].get_metric(reset),
        }

    def sample(
        self, count: int, temperature: float = 1.0, max_length: int = 100
    ) -> List[List[MorphTag]]:
        """
        Draws sequences m ~ p(m), given that they are not empty, with torch's global generator.

        # Parameters

        count : `int`
        temperature : `float`, optional (default = `1.0`)
            Applied to each tag's distribution.
        max_length : `int`, optional (default = `100`)
            A sequence that gets so long ends there.
        """
        with evaluating(self):
            sampled = sample_sequences(
                self.contextualizer,
                lambda last: self.embedder(self._part_ids[last].unsqueeze(0)).squeeze(0),
                self.softmax,
                torch.full((count,), self._start, device=self._part_ids.device),
                self._end,
                temperature,
                max_length,
            )
        return [[self._tags[position] for position in row] for row in sampled]

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        """
        For each instance of the `tag_sequences` reader log p(m), in nats; -inf with an unknown tag.
        """

        def compute(tensors: Dict[str, Any]) -> List[float]:
            nll, _, num_unknown = self._nll(tensors["tags"])
            return (-nll).masked_fill(num_unknown > 0, -torch.inf).tolist()

        return in_batches(self, instances, compute, lambda instance: len(instance["tags"]))

    def _nll(self, tags: TextFieldTensors) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """
        -log p of the known tags and END of each sentence, their number, and the number of tags that the
        vocabulary lacks; shapes (batch_size,).
        """
        # Shape: (batch_size, length)
        ids = tags["morphology"]["tokens"]
        mask = ids > 0
        # Shape: (batch_size, length, num_parts)
        part_ids = tags["parts"]["token_characters"]
        inputs = self.dropout(self.embedder(part_ids[:, :-1]))
        # Shape: (batch_size, length - 1, hidden_dim)
        hidden = self.contextualizer(inputs, mask[:, 1:])
        # Shape: (batch_size, length - 1), -1 for padding and unknown.
        targets = self._positions[ids[:, 1:]]
        known = targets >= 0
        nll = negative_log_likelihood(self.softmax, self.dropout(hidden), targets, known)
        # What has no tag has no parts either.
        is_tagged = (part_ids[:, 1:] > 0).any(dim=-1)
        return nll, known.sum(-1), (is_tagged & ~known).sum(-1)
