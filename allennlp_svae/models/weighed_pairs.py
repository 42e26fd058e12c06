"""
An inference network that weighs each word's most probable pairs of lemma and tag, which another one finds, anew. Words
are independent, and each has one of these pairs; others are impossible for it.
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
from allennlp.data import Instance, TextFieldTensors

from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.models.composed_network import ComposedNetwork
from allennlp_svae.models.inference_network import tag_of, with_annotations
from allennlp_svae.modules.best_products import best_products
from allennlp_svae.modules.candidates import log_add
from allennlp_svae.modules.token_analysis import TokenAnalysis, best_of

Words = List[List[TokenAnalysis]]


class WeighedPairs(ComposedNetwork):
    """
    Annotates word by word. How the `tagger`'s pairs are weighed is said by a subclass, in `_weighed`.

    # Parameters

    vocab : `Vocabulary`
    tagger : `Model`
        An `InferenceNetwork`.
    """

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

    def _weighed(self, scores: Any, sentences: Sequence[Sentence]) -> List[Words]:
        """From the tagger's scores of sentences, of each of their words the pairs with log q, best first."""
        raise NotImplementedError

    def _scores_of(self, tokens: TextFieldTensors, sentences: List[Sentence]) -> "_Scores":
        of_tagger = self.tagger._scores_of(tokens, sentences)
        return _Scores(sentences, self._weighed(of_tagger, sentences))

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

    def _analyses(
        self, scores: "_Scores", k: int, within: float = math.inf
    ) -> Iterator[List[List[TokenAnalysis]]]:
        for words in scores.words:
            yield [
                [each for each in pairs[:k] if each.log_prob >= pairs[0].log_prob - within]
                for pairs in words
            ]

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
    words: List[Words]


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


def log_sum(log_probs: Iterable[float]) -> float:
    return reduce(log_add, log_probs, -math.inf)
