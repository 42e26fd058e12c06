"""Labels in namespaces that have padding and unknown, as those of tags are to: data may lack them, or have others."""

from typing import List

from allennlp.data.fields import LabelField, SequenceLabelField


class OpenLabelField(LabelField):
    """AllenNLP's, without its advice against such namespaces, on which no user could act."""

    __slots__: List[str] = []

    def _maybe_warn_for_namespace(self, label_namespace: str) -> None:
        pass


class OpenSequenceLabelField(SequenceLabelField):
    """As `OpenLabelField`."""

    __slots__: List[str] = []

    def _maybe_warn_for_namespace(self, label_namespace: str) -> None:
        pass
