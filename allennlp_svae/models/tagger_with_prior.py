"""
An inference network that knows more of the pairs of lemma and tag that a word may have than its tagger:

    q(ℓ, m | f) ∝ q₁(ℓ, m | f) exp s(f, ℓ, m)
    q₁(ℓ, m | f) = (1 − v) q₀(ℓ, m | f) + v r(ℓ | f, m) Σ_ℓ' q₀(ℓ', m | f)

over each word's most probable pairs. q₀ is any inference network, s a `PairPrior`, and r its `JointLemmatizer`, which
makes lemmas that the tagger's edit trees do not; where it makes none, as of a labelled word, v is 0. A word for which
the tagger has a single pair keeps it. A tagger learns from words whose lemmas it all knows; of new words it believes
too readily in lemmas that are none.
"""

import math
from operator import itemgetter
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary
from allennlp.models import Model

from allennlp_svae.data.lemmatization import Source, sources
from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.models.inference_network import tag_of
from allennlp_svae.models.weighed_pairs import WeighedPairs, Words, log_sum
from allennlp_svae.modules.candidates import Candidates, log_add
from allennlp_svae.modules.joint_lemmatizer import Lemmatized
from allennlp_svae.modules.pair_prior import PairPrior
from allennlp_svae.modules.remembered import Remembered
from allennlp_svae.modules.token_analysis import TokenAnalysis

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
        dotted = self._prior.lemmatizer.dotted
        words = [
            [
                # What has no other pair stays as it is.
                _Word(source, pairs, _log_probs_of_tags(pairs) if len(pairs) > 1 else {})
                for source, pairs in zip(sources(sentence.forms, dotted), found, strict=True)
            ]
            for sentence, found in zip(
                sentences,
                self.tagger._analyses(scores, self._num_pairs, self._within),
                strict=True,
            )
        ]
        proposed = self._proposed(
            (word.source, tag) for of_sentence in words for word in of_sentence for tag in word.tags
        )
        mixed = [[self._mixed(word, proposed) for word in of_sentence] for of_sentence in words]
        asked = [
            [
                _lemmatized(word.source, pairs) if len(pairs) > 1 else []
                for word, pairs in zip(*of_sentence, strict=True)
            ]
            for of_sentence in zip(words, mixed, strict=True)
        ]
        weights = self._weights(
            (each for row in asked for of_word in row for each in of_word), self._prior
        )
        return [
            [
                _weighed(pairs, [weights[each] for each in of_word])
                for pairs, of_word in zip(*of_sentence, strict=True)
            ]
            for of_sentence in zip(mixed, asked, strict=True)
        ]

    def _proposed(self, asked: Iterable[Tuple[Source, MorphTag]]) -> Proposed:
        """What the lemmatizer makes of words with tags."""
        if self._lemmatizer_weight == 0.0:
            return {}
        return self._remembered(asked, self._prior.lemmatizer.lemmas)

    def _mixed(self, word: "_Word", proposed: Proposed) -> List[TokenAnalysis]:
        """A word's pairs with log q₁."""
        lemmas = {
            tag: found for tag in word.tags if (found := proposed.get((word.source, tag), []))
        }
        if not lemmas:
            return word.pairs
        of_tagger = math.log(1.0 - self._lemmatizer_weight)
        of_lemmatizer = math.log(self._lemmatizer_weight)
        mixed = {
            token: log_prob + (of_tagger if token.tag in lemmas else 0.0)
            for log_prob, token in word.pairs
        }
        form = word.pairs[0].token.form
        for tag, found in lemmas.items():
            for lemma, of_lemma in found:
                token = Token(form, lemma, tag)
                added = of_lemmatizer + word.tags[tag] + of_lemma
                mixed[token] = log_add(mixed.get(token, -math.inf), added)
        return [TokenAnalysis(log_prob, token) for token, log_prob in mixed.items()]


class _Word(NamedTuple):
    """What a word is lemmatized from, the tagger's pairs, and log q₀ of their tags; of no tags if it has one pair."""

    source: Source
    pairs: List[TokenAnalysis]
    tags: Dict[MorphTag, float]


def _log_probs_of_tags(pairs: Iterable[TokenAnalysis]) -> Dict[MorphTag, float]:
    found: Dict[MorphTag, float] = {}
    for log_prob, token in pairs:
        tag = tag_of(token)
        found[tag] = log_add(log_prob, found[tag]) if tag in found else log_prob
    return found


def _lemmatized(source: Source, pairs: Iterable[TokenAnalysis]) -> List[Lemmatized]:
    return [Lemmatized(source, str(token.lemma), tag_of(token)) for _, token in pairs]


def _weighed(pairs: Sequence[TokenAnalysis], weights: Sequence[float]) -> List[TokenAnalysis]:
    """With probabilities that sum to one, best first."""
    if not weights:
        (only,) = pairs
        return [TokenAnalysis(0.0, only.token)]
    weighed = [
        TokenAnalysis(log_prob + weight, token)
        for (log_prob, token), weight in zip(pairs, weights, strict=True)
    ]
    total = log_sum(each.log_prob for each in weighed)
    weighed.sort(key=itemgetter(0), reverse=True)
    return [TokenAnalysis(log_prob - total, token) for log_prob, token in weighed]
