"""
An inference network that asks of what it is in doubt how the words would be written: by Bayes' rule, a pair of lemma
and tag is the likelier, the likelier it makes the form. Of each word's most probable pairs q₀(ℓ, m | f) those that
could be the best share what they have together anew:

    q(ℓ, m | f) ∝ q₀(ℓ, m | f) p(f | ℓ, m)^α

q₀ is any inference network; p, an inflector, knows lemmas and tags that go with no form like this one, which features
of forms do not tell. A pair of which p knows nothing is not ruled out: p is e^-8 at least.
"""

from typing import Any, Dict, Iterable, Iterator, List, Sequence

from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model

from allennlp_svae.data.sentence import Sentence, Token, Triple, triples_of
from allennlp_svae.models.inference_network import tag_of
from allennlp_svae.models.weighed_pairs import WeighedPairs, Words, log_sum
from allennlp_svae.modules.candidates import log_add
from allennlp_svae.modules.token_analysis import TokenAnalysis, best_of

MIN_LOG_PROB = -8.0


@Model.register("tagger_with_inflector")
class TaggerWithInflector(WeighedPairs):
    """
    Annotates word by word. Each component is trained by a trainer of its own: see `ComponentTrainer`.

    # Parameters

    vocab : `Vocabulary`
        Counted by a `tagged_sentences` reader for the transducer `inflector`.
    tagger : `Model`
        An `InferenceNetwork`, q₀.
    inflector : `Model`
        An `InflectionModel`, p.
    inflector_weight : `float`, optional (default = `0.3`)
        α. With 0 the inflector is not asked, and nothing takes longer than q₀ does.
    num_pairs : `int`, optional (default = `3`)
        How many pairs a word has at most.

    # Raises

    `ConfigurationError` where a component is another, or a number is none of those.
    """

    transducer_name = "inflector"

    def __init__(
        self,
        vocab: Vocabulary,
        tagger: Model,
        inflector: Model,
        inflector_weight: float = 0.3,
        num_pairs: int = 3,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, tagger, **kwargs)
        self.inflector = self._transducer(inflector)
        if inflector_weight < 0.0:
            raise ConfigurationError(
                f"inflector_weight is {inflector_weight}; it must not be negative."
            )
        if num_pairs < 1:
            raise ConfigurationError(f"num_pairs is {num_pairs}; a word needs one at least.")
        self._weight = inflector_weight
        self._num_pairs = num_pairs

    def _triples(self, sentence: Sentence) -> Iterator[Triple]:
        return triples_of([sentence])

    def _weighed(self, scores: Any, sentences: Sequence[Sentence]) -> List[Words]:
        found = list(self.tagger._analyses(scores, self._num_pairs))
        in_doubt = [[self._in_doubt(pairs) for pairs in words] for words in found]
        log_probs = self._log_probs_of_forms(
            each.token for words in in_doubt for pairs in words for each in pairs
        )
        return [
            [self._weighed_anew(*of_word, log_probs) for of_word in zip(*of_sentence, strict=True)]
            for of_sentence in zip(found, in_doubt, strict=True)
        ]

    def _in_doubt(self, pairs: Sequence[TokenAnalysis]) -> Sequence[TokenAnalysis]:
        """Those of a word's pairs, best first, that what p says could make the best; none if it is only one."""
        least = pairs[0].log_prob + self._weight * MIN_LOG_PROB
        number = sum(each.log_prob > least for each in pairs)
        return pairs[:number] if number > 1 else []

    def _log_probs_of_forms(self, tokens: Iterable[Token]) -> Dict[Token, float]:
        """log (p(f | ℓ, m) + e^-8) of each."""

        def ask(new: List[Token]) -> List[float]:
            instances = [
                self._reader.text_to_instance(str(token.lemma), tag_of(token), token.form)
                for token in new
            ]
            log_probs = self.inflector.log_prob(instances)
            return [log_add(log_prob, MIN_LOG_PROB) for log_prob in log_probs]

        return self._remembered(tokens, ask)

    def _weighed_anew(
        self,
        pairs: Sequence[TokenAnalysis],
        in_doubt: Sequence[TokenAnalysis],
        log_probs: Dict[Token, float],
    ) -> List[TokenAnalysis]:
        """A word's pairs with log q, best first."""
        before = {token: log_prob for log_prob, token in pairs}
        after = {token: log_prob + self._weight * log_probs[token] for log_prob, token in in_doubt}
        if after:
            # What they have together stays theirs.
            change = log_sum(before[token] for token in after) - log_sum(after.values())
            after = {token: log_prob + change for token, log_prob in after.items()}
        total = log_sum(before.values())
        found = {token: log_prob - total for token, log_prob in {**before, **after}.items()}
        return best_of(found, len(pairs))
