"""
Chooses among the forms that an inflector found by what the words of the text look like, labelled and raw:

    log p(f | ℓ, m) + w / (|f| + 1) log p(f) + c [f has a capital, as the text writes it]

p(f) is a character n-gram model of the text's distinct words, |f| the length of the form in characters. Per character,
since what competes differs in length, and a longer form is no worse for being longer. Which words the text writes with
a capital is in the vocabulary; see `data/capitals.py`.
"""

from typing import Dict, List, Sequence, Set

from allennlp.common import FromParams
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from allennlp_svae.data.word_features import fold
from allennlp_svae.data.word_model import WordModel
from allennlp_svae.dataset_readers.inflections import ATTESTED, CAPITALIZED
from allennlp_svae.modules.candidates import Candidates, ranked


def attested_words(vocab: Vocabulary, namespace: str = ATTESTED) -> Set[str]:
    """The text's words, as the namespace has them; none where the vocabulary does not keep them."""
    words = vocab.get_token_to_index_vocabulary(namespace).keys()
    return words - {vocab._padding_token, vocab._oov_token}


class FormRanker(FromParams):
    """
    # Parameters

    vocab : `Vocabulary`
        With the text's words under `attested_forms` and `capitalized_words`; see `TreebankVocabulary`.
    weight : `float`
        w, in nats for a nat a character.
    order : `int`, optional (default = `6`)
        Of the n-grams, in characters.
    capital_weight : `float`, optional (default = `3.0`)
        c, in nats.

    # Raises

    `ConfigurationError` where the vocabulary has no words.
    """

    def __init__(
        self, vocab: Vocabulary, weight: float, order: int = 6, capital_weight: float = 3.0
    ) -> None:
        words = attested_words(vocab)
        if not words:
            raise ConfigurationError(
                "A `ranker` needs words: set the vocabulary's type to 'treebank', with `labeled` and `unlabeled` "
                "data paths."
            )
        self._weight = weight
        self._capital_weight = capital_weight
        self._capitalized = attested_words(vocab, CAPITALIZED)
        self._words = WordModel(words, order)
        # Of the forms asked for last, in lower case: those that were ranked are asked for again, for their confidences.
        self._known: Dict[str, float] = {}

    def __call__(self, found: Sequence[Candidates]) -> List[Candidates]:
        """For each inflection its forms, best first."""
        return ranked(found, self.preferences(found))

    def preferences(self, found: Sequence[Candidates]) -> List[List[float]]:
        """What forms are ranked by, in nats."""
        looks = self._log_probs({form.lower() for candidates in found for form, _ in candidates})
        return [
            [
                log_prob
                + self._weight * looks[form.lower()] / (len(form) + 1)
                + self._capital_weight * self._has_its_capital(form)
                for form, log_prob in candidates
            ]
            for candidates in found
        ]

    def _has_its_capital(self, form: str) -> bool:
        return form[:1].isupper() and fold(form) in self._capitalized

    def _log_probs(self, forms: Set[str]) -> Dict[str, float]:
        """Of forms in lower case, each asked for once whatever its casings."""
        if not forms <= self._known.keys():
            words = sorted(forms)
            self._known = dict(zip(words, self._words.log_probs(words), strict=True))
        return self._known
