"""
An inference network that knows, of the pairs of lemma and tag that a word may have, which are likely by themselves:

    q(ℓ, m | f) ∝ q₀(ℓ, m | f) exp s(ℓ, m)

over each word's most probable pairs. q₀ is any inference network, s a `PairPrior`. A tagger learns from words whose
lemmas it all knows; of new words it believes too readily in lemmas that are none.
"""

from typing import Any, Iterable, List, Optional

from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model

from allennlp_svae.data.sentence import Token
from allennlp_svae.models.inference_network import TokenAnalysis, tag_of
from allennlp_svae.models.weighed_pairs import WeighedPairs, Words, log_sum
from allennlp_svae.modules.pair_prior import PairPrior


@Model.register("tagger_with_prior")
class TaggerWithPrior(WeighedPairs):
    """
    Annotates word by word. The tagger is trained as it would be alone.

    # Parameters

    vocab : `Vocabulary`
        See `PairPrior`.
    tagger : `Model`
        An `InferenceNetwork`, q₀.
    prior : `PairPrior`, optional (default = one with its defaults)
    num_pairs : `int`, optional (default = `8`)
        How many pairs a word has at most.
    within : `float`, optional (default = `4.0`)
        How many nats they are less probable than the word's best, at most.

    # Raises

    `ConfigurationError` where the tagger is another model, or a number is none of those.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        tagger: Model,
        prior: Optional[PairPrior] = None,
        num_pairs: int = 8,
        within: float = 4.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, tagger, **kwargs)
        if num_pairs < 1:
            raise ConfigurationError(f"num_pairs is {num_pairs}; a word needs one at least.")
        if within < 0.0:
            raise ConfigurationError(f"within is {within}; it must not be negative.")
        self._prior = prior or PairPrior(vocab)
        self._num_pairs = num_pairs
        self._within = within

    def _weighed(self, scores: Any) -> List[Words]:
        found = list(self.tagger._analyses(scores, self._num_pairs, self._within))
        # What has no other needs no weight.
        in_doubt = _distinct(
            each.token for words in found for pairs in words if len(pairs) > 1 for each in pairs
        )
        asked = [(str(token.lemma), tag_of(token)) for token in in_doubt]
        weights = dict(zip(in_doubt, self._prior(asked), strict=True))
        return [
            [
                _normalized(
                    TokenAnalysis(of + weights.get(token, 0.0), token) for of, token in pairs
                )
                for pairs in words
            ]
            for words in found
        ]


def _distinct(tokens: Iterable[Token]) -> List[Token]:
    return list(dict.fromkeys(tokens))


def _normalized(weighed: Iterable[TokenAnalysis]) -> List[TokenAnalysis]:
    """With probabilities that sum to one, best first."""
    best_first = sorted(weighed, key=lambda each: each.log_prob, reverse=True)
    total = log_sum(each.log_prob for each in best_first)
    return [TokenAnalysis(log_prob - total, token) for log_prob, token in best_first]
