"""Which casings a form may have been given, if its casing is chosen apart from its characters at all."""

from typing import List

from allennlp.data import Vocabulary

from allennlp_svae.data.casing import (
    Casing,
    Reading,
    apply_casing,
    can_be_capitalized,
    likely_reading,
    readings,
)
from allennlp_svae.modules.dotted_i import dotted_i


class FormCasing:
    """
    `allennlp_svae.data.casing` for the language of a vocabulary.

    # Parameters

    vocab : `Vocabulary`
    is_chosen : `bool`
        If not, capitals are characters like any other, and every form is as written.
    """

    def __init__(self, vocab: Vocabulary, is_chosen: bool) -> None:
        self.is_chosen = is_chosen
        self._dotted = dotted_i(vocab)

    def options(self, lemma: str) -> List[Casing]:
        """What there is to choose from: one, or all."""
        is_open = self.is_chosen and can_be_capitalized(lemma)
        return list(Casing) if is_open else [Casing.AS_WRITTEN]

    def has_choice(self, lemma: str) -> bool:
        return len(self.options(lemma)) > 1

    def apply(self, casing: Casing, base: str) -> str:
        return apply_casing(casing, base, self._dotted)

    def readings(self, form: str, lemma: str) -> List[Reading]:
        if self.has_choice(lemma):
            return readings(form, lemma, self._dotted)
        return [Reading(Casing.AS_WRITTEN, form)]

    def likely_reading(self, form: str, lemma: str) -> Reading:
        if self.has_choice(lemma):
            return likely_reading(form, lemma, self._dotted)
        return Reading(Casing.AS_WRITTEN, form)
