"""The pointer-generator without what the ablation takes from it."""

import torch
from allennlp.data import TextFieldTensors
from allennlp.models import Model
from allennlp.modules import Seq2VecEncoder, TextFieldEmbedder
from allennlp.nn.util import get_text_field_mask

from allennlp_svae.models.pointer_generator import PointerGenerator


@Model.register("pointer_generator_of_known_characters")
class PointerGeneratorOfKnownCharacters(PointerGenerator):
    """A character that the vocabulary lacks is one symbol, whichever it is: it can be copied, but not written."""

    def _hidden_symbols(self, batch_size: int, device: torch.device) -> torch.Tensor:
        return torch.zeros(batch_size, self._num_symbols, dtype=torch.bool, device=device)


@TextFieldEmbedder.register("tag_sequence")
class TagSequence(TextFieldEmbedder):
    """
    A tag as the sequence of its parts: what an encoder makes of them stands where the first one stood, the others are
    zero, so that their sum is the encoded sequence.

    # Parameters

    embedder : `TextFieldEmbedder`
    encoder : `Seq2VecEncoder`
    """

    def __init__(self, embedder: TextFieldEmbedder, encoder: Seq2VecEncoder) -> None:
        super().__init__()
        self._embedder = embedder
        self._encoder = encoder

    def get_output_dim(self) -> int:
        return self._encoder.get_output_dim()

    def forward(self, tag: TextFieldTensors) -> torch.Tensor:
        """Shape `(batch_size, num_parts, tag_size)`."""
        parts = self._embedder(tag)
        sequence = self._encoder(parts, get_text_field_mask(tag)).unsqueeze(1)
        nothing = sequence.new_zeros(len(parts), parts.size(1) - 1, sequence.size(-1))
        return torch.cat([sequence, nothing], dim=1)
