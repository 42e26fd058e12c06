import pytest
from allennlp.data import Vocabulary

from allennlp_svae.data.casing import Casing
from allennlp_svae.dataset_readers.inflections import ATTESTED
from allennlp_svae.modules.form_casing import FormCasing

TURKISH = Vocabulary(tokens_to_add={ATTESTED: ["ırmak"]})


@pytest.mark.parametrize(
    ("vocab", "capitalized"), [(Vocabulary(), "Iş"), (TURKISH, "İş")], ids=["others", "Turkish"]
)
def test_a_lemma_in_lower_case_has_the_choice(vocab: Vocabulary, capitalized: str) -> None:
    casing = FormCasing(vocab, is_chosen=True)
    assert casing.options("iş") == [Casing.AS_WRITTEN, Casing.CAPITALIZED]
    assert [casing.apply(each, "iş") for each in casing.options("iş")] == ["iş", capitalized]
    assert casing.likely_reading(capitalized, "iş") == (Casing.CAPITALIZED, "iş")
    assert (Casing.CAPITALIZED, "iş") in casing.readings(capitalized, "iş")


@pytest.mark.parametrize(("is_chosen", "lemma"), [(False, "iş"), (True, "Ev"), (True, "")])
def test_else_all_is_as_written(is_chosen: bool, lemma: str) -> None:
    casing = FormCasing(TURKISH, is_chosen)
    assert not casing.has_choice(lemma)
    assert casing.options(lemma) == [Casing.AS_WRITTEN]
    assert casing.readings("İş", lemma) == [casing.likely_reading("İş", lemma)]
    assert casing.likely_reading("İş", lemma) == (Casing.AS_WRITTEN, "İş")
