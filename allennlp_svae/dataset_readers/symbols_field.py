"""A text field whose batches are made in one piece."""

from typing import Any, Dict, List

import torch
from allennlp.data import TextFieldTensors
from allennlp.data.fields import TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer


class SymbolsField(TextField):
    """
    A `TextField` for sequences as short as words. AllenNLP makes a tensor of each sequence and stacks them, which for
    words takes a tenth of a model's training; here a batch's ids become one tensor. Indexers other than `single_id`
    are left to AllenNLP.
    """

    __slots__: List[str] = []

    def get_padding_lengths(self) -> Dict[str, int]:
        return {} if self._has_single_ids() else super().get_padding_lengths()

    def as_tensor(self, padding_lengths: Dict[str, int]) -> Any:
        return (
            self._indexed_tokens if self._has_single_ids() else super().as_tensor(padding_lengths)
        )

    def batch_tensors(self, tensor_list: List[Any]) -> TextFieldTensors:
        if not self._has_single_ids():
            return super().batch_tensors(tensor_list)
        return {
            name: {"tokens": _padded([indexed[name]["tokens"] for indexed in tensor_list])}
            for name in self.token_indexers
        }

    def _has_single_ids(self) -> bool:
        return {*map(type, self.token_indexers.values())} == {SingleIdTokenIndexer}


def _padded(rows: List[List[int]]) -> torch.Tensor:
    """Shape `(batch_size, length)`, zero on padding."""
    length = max(map(len, rows))
    return torch.tensor([row + [0] * (length - len(row)) for row in rows], dtype=torch.long)
