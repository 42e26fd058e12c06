"""
The lemma generator, a character LM given the part of speech (paper, section 4.2 (2), App. A):

    p(ℓ | t) = Π_j p(ℓ_j | ℓ_{<j}, t)        h_j = LSTM(h_{j-1}, [e(ℓ_{j-1}); e'(t)])
"""

import math
from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch
from allennlp.common.checks import ConfigurationError, check_dimensions_match
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.modules import Embedding
from allennlp.modules.seq2seq_encoders import Seq2SeqEncoder

from allennlp_svae.modules.batching import in_batches
from allennlp_svae.modules.evaluating import evaluating
from allennlp_svae.modules.language_modeling import (
    check_is_left_to_right,
    negative_log_likelihood,
    sample_sequences,
)
from allennlp_svae.training.ratio import Ratio, perplexity


@Model.register("lemma_lm")
class LemmaLanguageModel(Model):
    """
    p(ℓ | t) over strings of the vocabulary's `characters`. Another character is read as unknown,
    but not predicted.

    # Parameters

    vocab : `Vocabulary`
        Its namespaces `characters` and `pos` come from the `lemmas` reader.
    character_embedder : `Embedding`
        e, of `vocab_namespace` `characters`.
    pos_embedder : `Embedding`
        e', of `vocab_namespace` `pos`.
    contextualizer : `Seq2SeqEncoder`
        Reads left to right (`lstm`); its input is as wide as both embeddings.
    dropout : `float`, optional (default = `0.0`)
        On the input and the output of the contextualizer.

    # Raises

    `ConfigurationError` where the vocabulary has no START and END, or the dimensions do not match.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        character_embedder: Embedding,
        pos_embedder: Embedding,
        contextualizer: Seq2SeqEncoder,
        dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        check_is_left_to_right(contextualizer)
        check_dimensions_match(
            character_embedder.get_output_dim() + pos_embedder.get_output_dim(),
            contextualizer.get_input_dim(),
            "character and POS embedding",
            "contextualizer input",
        )
        indices = vocab.get_token_to_index_vocabulary("characters")
        if not {START_SYMBOL, END_SYMBOL} <= indices.keys():
            raise ConfigurationError(
                "The vocabulary's namespace `characters` has no START and END. Remedy: build it "
                "from instances of the `lemmas` reader."
            )
        self._start = indices[START_SYMBOL]
        self._end = indices[END_SYMBOL]
        self._unknown = indices[vocab._oov_token]
        never = torch.zeros(len(indices), dtype=torch.bool)
        never[[indices[vocab._padding_token], self._unknown, self._start]] = True
        # Follows from the vocabulary, so it does not belong in a checkpoint.
        self.register_buffer("_never", never, persistent=False)

        self.character_embedder = character_embedder
        self.pos_embedder = pos_embedder
        self.contextualizer = contextualizer
        self.projection = torch.nn.Linear(contextualizer.get_output_dim(), len(indices))
        self.dropout = torch.nn.Dropout(dropout)
        self._nats_per_character = Ratio()

    def forward(
        self, lemma: TextFieldTensors, pos: torch.Tensor, weight: Optional[torch.Tensor] = None
    ) -> Dict[str, torch.Tensor]:
        """
        # Parameters

        lemma : `TextFieldTensors`
            Characters between START and END, indexed as `characters`; shape (batch_size, length).
        pos : `torch.Tensor`
            Shape (batch_size,).
        weight : `torch.Tensor`, optional (default = `None`)
            The weight of each lemma in the loss; shape (batch_size,).

        # Returns

        `loss`: nats per character (END is one, an unknown character is none), weighted above the
        line only, so that a weight scales a lemma's part of the objective.
        """
        nll, num_known, _ = self._nll(lemma, pos)
        weight = torch.ones_like(nll) if weight is None else weight
        total = (weight * nll).sum()
        self._nats_per_character(total, (weight * num_known).sum())
        return {"loss": total / num_known.sum()}

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        """
        `bits_per_character` and `perplexity` per known character and END, over weighted lemmas:
        with `count_power` 1, over tokens.
        """
        nats = self._nats_per_character.get_metric(reset)
        return {"bits_per_character": nats / math.log(2), "perplexity": perplexity(nats)}

    def sample(
        self, pos: Sequence[str], temperature: float = 1.0, max_length: int = 50
    ) -> List[str]:
        """
        For each part of speech t one lemma ℓ ~ p(ℓ | t), given that it is not empty, with torch's
        global generator.

        # Parameters

        pos : `Sequence[str]`
        temperature : `float`, optional (default = `1.0`)
            Applied to each character's distribution; .75 in Appendix A.
        max_length : `int`, optional (default = `50`)
            A lemma that gets so long, in characters, ends there.
        """
        device = self._never.device
        ids = [self.vocab.get_token_index(name, "pos") for name in pos]
        with evaluating(self):
            # Shape: (batch_size, pos_dim)
            condition = self.pos_embedder(torch.tensor(ids, dtype=torch.long, device=device))
            sampled = sample_sequences(
                self.contextualizer,
                lambda last: torch.cat([self.character_embedder(last), condition], -1),
                self._logits,
                torch.full((len(ids),), self._start, device=device),
                self._end,
                temperature,
                max_length,
            )
        return [
            "".join(self.vocab.get_token_from_index(index, "characters") for index in row)
            for row in sampled
        ]

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        """
        For each instance of the `lemmas` reader log p(ℓ | t), in nats; -inf with an unknown
        character.
        """

        def compute(tensors: Dict[str, Any]) -> List[float]:
            nll, _, num_unknown = self._nll(tensors["lemma"], tensors["pos"])
            return (-nll).masked_fill(num_unknown > 0, -torch.inf).tolist()

        return in_batches(self, instances, compute, lambda instance: len(instance["lemma"]))

    def _logits(self, hidden: torch.Tensor) -> torch.Tensor:
        return self.projection(hidden).masked_fill(self._never, -math.inf)

    def _nll(
        self, lemma: TextFieldTensors, pos: torch.Tensor
    ) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """
        -log p of the known characters and END of each lemma, their number, and the number of
        unknown characters; shapes (batch_size,).
        """
        # Shape: (batch_size, length)
        ids = lemma["characters"]["tokens"]
        last, targets = ids[:, :-1], ids[:, 1:]
        # Shape: (batch_size, length - 1, pos_dim)
        condition = self.pos_embedder(pos).unsqueeze(1).expand(-1, last.size(1), -1)
        inputs = self.dropout(torch.cat([self.character_embedder(last), condition], -1))
        # Shape: (batch_size, length - 1, hidden_dim)
        hidden = self.contextualizer(inputs, targets > 0)
        known = (targets > 0) & (targets != self._unknown)
        nll = negative_log_likelihood(self._logits, self.dropout(hidden), targets, known)
        return nll, known.sum(-1), (targets == self._unknown).sum(-1)
