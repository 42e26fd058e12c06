import pytest
from allennlp.data import Batch, Token, Vocabulary
from allennlp.data.fields import LabelField, SequenceLabelField, TextField
from allennlp.data.instance import Instance

from allennlp_svae.dataset_readers.labels import OpenLabelField, OpenSequenceLabelField


def test_nobody_is_advised_to_do_without_unknown(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    for field in (LabelField, SequenceLabelField):
        monkeypatch.setattr(field, "_already_warned_namespaces", set())
    words = TextField([Token("a"), Token("b")], {})
    made = [OpenLabelField("N", "pos"), OpenSequenceLabelField(["N", "V"], words, "morphology")]
    assert caplog.records == []
    LabelField("N", "pos")
    assert len(caplog.records) == 1
    # They are labels all the same.
    instance = Instance({"pos": made[0], "morphology": made[1]})
    batch = Batch([instance])
    batch.index_instances(Vocabulary.from_instances([instance]))
    tensors = batch.as_tensor_dict()
    assert (tensors["pos"].tolist(), tensors["morphology"].tolist()) == ([2], [[2, 3]])
