"""
An inference network that knows more of the pairs of lemma and tag that a word may have than its tagger:

    q(ℓ, m | f) ∝ q₁(ℓ, m | f) exp s(f, ℓ, m)
    q₁(ℓ, m | f) = (1 − v) q₀(ℓ, m | f) + v r(ℓ | f, m) Σ_ℓ' q₀(ℓ', m | f)

over each word's most probable pairs. q₀ is any inference network, s a `PairPrior`, and r its `JointLemmatizer`, which
makes lemmas that the tagger's edit trees do not; where it makes none, as of a labelled word, v is 0. A tagger learns
from words whose lemmas it all knows; of new words it believes too readily in lemmas that are none.
"""

import math
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model

from allennlp_svae.data.lemmatization import Source, sources
from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.models.inference_network import TokenAnalysis, best_of, tag_of
from allennlp_svae.models.weighed_pairs import WeighedPairs, Words, log_sum
from allennlp_svae.modules.candidates import Candidates, log_add
from allennlp_svae.modules.joint_lemmatizer import Lemmatized
from allennlp_svae.modules.pair_prior import PairPrior
from allennlp_svae.modules.remembered import Remembered

Proposed = Dict[Tuple[Source, MorphTag], Candidates]


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
    num_pairs : `int`, optional (default = `12`)
        How many pairs of the tagger's a word has at most.
    within : `float`, optional (default = `4.5`)
        How many nats they are less probable than the word's best, at most.
    lemmatizer_weight : `float`, optional (default = `0.4`)
        v, less than 1; with 0 the tagger's pairs are the only ones.

    # Raises

    `ConfigurationError` where the tagger is another model, or a number is none of those.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        tagger: Model,
        prior: Optional[PairPrior] = None,
        num_pairs: int = 12,
        within: float = 4.5,
        lemmatizer_weight: float = 0.4,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, tagger, **kwargs)
        if num_pairs < 1:
            raise ConfigurationError(f"num_pairs is {num_pairs}; a word needs one at least.")
        if within < 0.0:
            raise ConfigurationError(f"within is {within}; it must not be negative.")
        if not 0.0 <= lemmatizer_weight < 1.0:
            raise ConfigurationError(
                f"lemmatizer_weight is {lemmatizer_weight}; it must be from 0 to less than 1."
            )
        self._prior = prior or PairPrior(vocab)
        self._num_pairs = num_pairs
        self._within = within
        self._lemmatizer_weight = lemmatizer_weight
        self._weights: Remembered[Lemmatized, float] = Remembered()

    def remember(self, at_most: int) -> None:
        super().remember(at_most)
        self._weights.at_most = at_most

    def _weighed(self, scores: Any, sentences: Sequence[Sentence]) -> List[Words]:
        found = list(self.tagger._analyses(scores, self._num_pairs, self._within))
        lemmatizer = self._prior.lemmatizer
        of_words = [sources(each.forms, lemmatizer.dotted) for each in sentences]
        proposed = self._proposed(
            (source, tag)
            for of_sentence in zip(of_words, found, strict=True)
            for source, pairs in zip(*of_sentence, strict=True)
            for tag in _log_probs_of_tags(pairs)
        )
        mixed = [
            [self._mixed(*each, proposed) for each in zip(*of_sentence, strict=True)]
            for of_sentence in zip(of_words, found, strict=True)
        ]
        # What has no other needs no weight.
        weights = self._weights(
            (
                _lemmatized(source, each.token)
                for of_sentence in zip(of_words, mixed, strict=True)
                for source, pairs in zip(*of_sentence, strict=True)
                for each in pairs
                if len(pairs) > 1
            ),
            self._prior,
        )
        return [
            [
                _normalized(
                    TokenAnalysis(of + weights.get(_lemmatized(source, token), 0.0), token)
                    for of, token in pairs
                )
                for source, pairs in zip(*of_sentence, strict=True)
            ]
            for of_sentence in zip(of_words, mixed, strict=True)
        ]

    def _proposed(self, asked: Iterable[Tuple[Source, MorphTag]]) -> Proposed:
        """What the lemmatizer makes of words with tags."""
        if self._lemmatizer_weight == 0.0:
            return {}
        return self._remembered(asked, self._prior.lemmatizer.lemmas)

    def _mixed(
        self, source: Source, pairs: Sequence[TokenAnalysis], proposed: Proposed
    ) -> List[TokenAnalysis]:
        """A word's pairs with log q₁."""
        of_tags = {
            tag: log_prob
            for tag, log_prob in _log_probs_of_tags(pairs).items()
            if proposed.get((source, tag))
        }
        if not of_tags:
            return list(pairs)
        of_tagger = math.log(1.0 - self._lemmatizer_weight)
        of_lemmatizer = math.log(self._lemmatizer_weight)
        mixed = {
            token: log_prob + (of_tagger if token.tag in of_tags else 0.0)
            for log_prob, token in pairs
        }
        form = pairs[0].token.form
        for tag, of_tag in of_tags.items():
            for lemma, of_lemma in proposed[source, tag]:
                token = Token(form, lemma, tag)
                added = of_lemmatizer + of_tag + of_lemma
                mixed[token] = log_add(mixed.get(token, -math.inf), added)
        return best_of(mixed, len(mixed))


def _log_probs_of_tags(pairs: Iterable[TokenAnalysis]) -> Dict[MorphTag, float]:
    found: Dict[MorphTag, float] = {}
    for log_prob, token in pairs:
        tag = tag_of(token)
        found[tag] = log_add(log_prob, found.get(tag, -math.inf))
    return found


def _lemmatized(source: Source, token: Token) -> Lemmatized:
    return Lemmatized(source, str(token.lemma), tag_of(token))


def _normalized(weighed: Iterable[TokenAnalysis]) -> List[TokenAnalysis]:
    """With probabilities that sum to one, best first."""
    best_first = sorted(weighed, key=lambda each: each.log_prob, reverse=True)
    total = log_sum(each.log_prob for each in best_first)
    return [TokenAnalysis(log_prob - total, token) for log_prob, token in best_first]
