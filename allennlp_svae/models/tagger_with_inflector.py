"""
An inference network that asks of what it is in doubt how the words would be written: by Bayes' rule, a pair of lemma
and tag is the likelier, the likelier it makes the form. Of each word's most probable pairs q₀(ℓ, m | f) those that
could be the best share what they have together anew:

    q(ℓ, m | f) ∝ q₀(ℓ, m | f) p(f | ℓ, m)^α

q₀ is any inference network; p, an inflector, knows lemmas and tags that go with no form like this one, which features
of forms do not tell. A pair of which p knows nothing is not ruled out: p is e^-8 at least.
"""

import math
from functools import reduce
from typing import (
    Any,
    Dict,
    Iterable,
    Iterator,
    List,
    Literal,
    NamedTuple,
    Sequence,
    Tuple,
)

import numpy
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model

from allennlp_svae.data.sentence import Sentence, Token, Triple, triples_of
from allennlp_svae.models.composed_network import ComposedNetwork
from allennlp_svae.models.inference_network import (
    InferenceNetwork,
    TokenAnalysis,
    best_of,
    tag_of,
    with_annotations,
)
from allennlp_svae.modules.best_products import best_products
from allennlp_svae.modules.candidates import log_add

MIN_LOG_PROB = -8.0


@Model.register("tagger_with_inflector")
class TaggerWithInflector(ComposedNetwork):
    """
    Annotates word by word: words are independent, and each has one of a few pairs; others are impossible for it. Each
    component is trained by a trainer of its own: see `ComponentTrainer`.

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
    tagger: InferenceNetwork

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

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        return self._in_batches(
            instances,
            lambda scores: (math.fsum(each) for each in self._log_probs_of_words(scores)),
        )

    def posteriors(
        self, instances: Sequence[Instance], annotations: Sequence[Sentence]
    ) -> List[List[float]]:
        return self._in_batches(
            with_annotations(instances, annotations),
            lambda scores: (list(map(math.exp, each)) for each in self._log_probs_of_words(scores)),
        )

    def _best_with_posteriors(
        self, instances: Sequence[Instance]
    ) -> List[Tuple[Sentence, List[float]]]:
        # What is chosen word by word is known together with its probability.
        return self._in_batches(
            instances,
            lambda scores: (
                (
                    _sentence_of(words, [0] * len(words)),
                    [math.exp(best.log_prob) for best, *_ in words],
                )
                for words in scores.words
            ),
        )

    def _triples(self, sentence: Sentence) -> Iterator[Triple]:
        return triples_of([sentence])

    def _scores_of(self, tokens: TextFieldTensors, sentences: List[Sentence]) -> "_Scores":
        found = list(
            self.tagger._analyses(self.tagger._scores_of(tokens, sentences), self._num_pairs)
        )
        in_doubt = [[self._in_doubt(pairs) for pairs in words] for words in found]
        log_probs = self._log_probs_of_forms(
            each.token for words in in_doubt for pairs in words for each in pairs
        )
        return _Scores(
            sentences,
            [
                [self._weighed(*of_word, log_probs) for of_word in zip(*of_sentence, strict=True)]
                for of_sentence in zip(found, in_doubt, strict=True)
            ],
        )

    def _in_doubt(self, pairs: Sequence[TokenAnalysis]) -> Sequence[TokenAnalysis]:
        """Those of a word's pairs, best first, that what p says could make the best; none if it is only one."""
        least = pairs[0].log_prob + self._weight * MIN_LOG_PROB
        number = sum(each.log_prob > least for each in pairs)
        return pairs[:number] if number > 1 else []

    def _log_probs_of_forms(self, tokens: Iterable[Token]) -> Dict[Token, float]:
        """log (p(f | ℓ, m) + e^-8) of each."""
        distinct = list(dict.fromkeys(tokens))
        instances = [
            self._reader.text_to_instance(str(token.lemma), tag_of(token), token.form)
            for token in distinct
        ]
        log_probs = self.inflector.log_prob(instances)
        return {
            token: log_add(log_prob, MIN_LOG_PROB)
            for token, log_prob in zip(distinct, log_probs, strict=True)
        }

    def _weighed(
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
            change = _log_sum(before[token] for token in after) - _log_sum(after.values())
            after = {token: log_prob + change for token, log_prob in after.items()}
        total = _log_sum(before.values())
        found = {token: log_prob - total for token, log_prob in {**before, **after}.items()}
        return best_of(found, len(pairs))

    def _decode(self, scores: "_Scores", how: Literal["best", "sample"]) -> Iterable[Sentence]:
        for words in scores.words:
            chosen = [0] * len(words) if how == "best" else list(map(_drawn, words))
            yield _sentence_of(words, chosen)

    def _k_best(self, scores: "_Scores", k: int) -> Iterator[List[Tuple[Sentence, float]]]:
        for words in scores.words:
            found = best_products(
                [numpy.array([each.log_prob for each in pairs]) for pairs in words]
            )
            yield [
                (_sentence_of(words, chosen), log_prob)
                for (log_prob, chosen), _ in zip(found, range(k), strict=False)
            ]

    def _analyses(self, scores: "_Scores", k: int) -> Iterator[List[List[TokenAnalysis]]]:
        for words in scores.words:
            yield [pairs[:k] for pairs in words]

    def _best_tags(self, scores: "_Scores", k: int) -> Iterator[List[List[TokenAnalysis]]]:
        for words in scores.words:
            yield [best_of(_of_tags(pairs), k) for pairs in words]

    def _log_probs_of_words(self, scores: "_Scores") -> Iterator[List[float]]:
        """Of the annotations of the sentences; lemmas that are missing are summed out."""
        for sentence, words in zip(scores.sentences, scores.words, strict=True):
            yield [
                self._log_prob_of_word(*each) for each in zip(sentence.tokens, words, strict=True)
            ]

    def _log_prob_of_word(self, token: Token, pairs: Sequence[TokenAnalysis]) -> float:
        asked = token._replace(tag=tag_of(token))
        found = _of_tags(pairs) if token.lemma is None else {each: of for of, each in pairs}
        return found.get(asked, -math.inf)


class _Scores(NamedTuple):
    """A batch of sentences, and of each of its words the pairs that it may have, best first."""

    sentences: List[Sentence]
    words: List[List[List[TokenAnalysis]]]


def _sentence_of(words: Sequence[Sequence[TokenAnalysis]], chosen: Iterable[int]) -> Sentence:
    return Sentence(tuple(pairs[number].token for pairs, number in zip(words, chosen, strict=True)))


def _drawn(pairs: Sequence[TokenAnalysis]) -> int:
    probs = torch.tensor([each.log_prob for each in pairs], dtype=torch.double).exp()
    return int(torch.multinomial(probs, 1))


def _of_tags(pairs: Iterable[TokenAnalysis]) -> Dict[Token, float]:
    """log q of each tag, as of a word without lemma."""
    found: Dict[Token, float] = {}
    for log_prob, token in pairs:
        tag = token._replace(lemma=None)
        found[tag] = log_add(log_prob, found.get(tag, -math.inf))
    return found


def _log_sum(log_probs: Iterable[float]) -> float:
    return reduce(log_add, log_probs, -math.inf)
