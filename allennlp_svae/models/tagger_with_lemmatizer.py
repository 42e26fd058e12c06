"""
An inference network whose lemmas two ways of making them vote for:

    q(ℓ, m | f) = (1 − v) q'(ℓ, m | f) + v q'(m | f) Π_n r(ℓ_n | f_n, m_n)

q' is any inference network, whose lemmas come by the edit trees that it saw; r is an inflector the other way round,
from forms to lemmas, which writes them character by character (see `allennlp_svae.data.lemmatization`). Since q is a
distribution, wake-sleep can sample from it and score with it as with any.
"""

import heapq
import math
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

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model

from allennlp_svae.data.lemmatization import Source, lemmatizations, sources
from allennlp_svae.data.sentence import Sentence, Token, Triple
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.models.composed_network import ComposedNetwork
from allennlp_svae.models.inference_network import tag_of, with_annotations
from allennlp_svae.modules.candidates import Candidates, log_add
from allennlp_svae.modules.dotted_i import dotted_i
from allennlp_svae.modules.token_analysis import TokenAnalysis, best_of

# What the lemmatizer is told: what it makes a lemma from, and the tag.
Inflected = Tuple[str, MorphTag]

# How many pairs the tagger names for a word at least; another counts as impossible for it.
MIN_PAIRS = 8
# Of how many tags of a word the lemmatizer makes lemmas at least.
MIN_TAGS = 4


@Model.register("tagger_with_lemmatizer")
class TaggerWithLemmatizer(ComposedNetwork):
    """
    Annotates word by word: with the pair of lemma and tag that is most probable, whatever the other words' are. Each
    component is trained by a trainer of its own: see `ComponentTrainer`.

    # Parameters

    vocab : `Vocabulary`
        Counted by a `tagged_sentences` reader for the transducer `lemmatizer`.
    tagger : `Model`
        An `InferenceNetwork`.
    lemmatizer : `Model`
        An `InflectionModel`.
    lemmatizer_weight : `float`, optional (default = `0.6`)
        v, more than 0 and less than 1.

    # Raises

    `ConfigurationError` where a component is another or the weight is not between 0 and 1.
    """

    transducer_name = "lemmatizer"

    def __init__(
        self,
        vocab: Vocabulary,
        tagger: Model,
        lemmatizer: Model,
        lemmatizer_weight: float = 0.6,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, tagger, **kwargs)
        self.lemmatizer = self._transducer(lemmatizer)
        if not 0.0 < lemmatizer_weight < 1.0:
            raise ConfigurationError(
                f"lemmatizer_weight is {lemmatizer_weight}; it must be more than 0 and less than 1."
            )
        self._log_weight = math.log(lemmatizer_weight)
        self._log_weight_of_tagger = math.log(1.0 - lemmatizer_weight)
        self._dotted = dotted_i(vocab)

    def k_best(self, instances: Sequence[Instance], k: int) -> List[List[Tuple[Sentence, float]]]:
        """
        For each sentence its up to `k` best distinct annotations with log q, best first, among the tagger's with its
        own lemmas or the lemmatizer's: there may be better ones. Not what `annotate` says, which chooses word by
        word.
        """
        found = self._proposals(instances, k)
        asked = [
            instance
            for instance, proposed in zip(instances, found, strict=True)
            for instance in with_annotations([instance] * len(proposed), list(proposed))
        ]
        log_probs = iter(self.log_prob(asked))
        return [
            heapq.nlargest(
                k,
                ((annotation, next(log_probs)) for annotation in proposed),
                key=lambda pair: pair[1],
            )
            for proposed in found
        ]

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        sentences = [instance["metadata"].metadata for instance in instances]
        of_tagger = self.tagger.log_prob(instances)
        of_tags = self.tagger.log_prob(with_annotations(instances, _without_lemmas(sentences)))
        of_lemmas = map(sum, self._log_probs_of_lemmas(sentences))
        return [self._mixed(*each) for each in zip(of_tagger, of_tags, of_lemmas, strict=True)]

    def posteriors(
        self, instances: Sequence[Instance], annotations: Sequence[Sentence]
    ) -> List[List[float]]:
        of_tagger = self.tagger.posteriors(instances, annotations)
        of_tags = self.tagger.posteriors(instances, _without_lemmas(annotations))
        of_lemmas = self._log_probs_of_lemmas(annotations)
        weight, weight_of_tagger = math.exp(self._log_weight), math.exp(self._log_weight_of_tagger)
        return [
            [
                weight_of_tagger * pair + weight * tag * math.exp(lemma)
                for pair, tag, lemma in zip(*of_sentence, strict=True)
            ]
            for of_sentence in zip(of_tagger, of_tags, of_lemmas, strict=True)
        ]

    def _triples(self, sentence: Sentence) -> Iterator[Triple]:
        return lemmatizations(sentence, self._dotted)

    def _proposals(self, instances: Sequence[Instance], k: int) -> List[Dict[Sentence, None]]:
        """For each sentence the tagger's k best, as they are and with the lemmatizer's lemmas."""
        found = [[each for each, _ in paths] for paths in self.tagger.k_best(instances, k)]
        flat = [each for paths in found for each in paths]
        lemmatized = iter(self._lemmatized(flat, "best"))
        return [dict.fromkeys([*paths, *(next(lemmatized) for _ in paths)]) for paths in found]

    def _scores_of(self, tokens: TextFieldTensors, sentences: List[Sentence]) -> "_Scores":
        return _Scores(sentences, self.tagger._scores_of(tokens, sentences))

    def _decode(self, scores: "_Scores", how: Literal["best", "sample"]) -> Iterable[Sentence]:
        """The best pair of each word; or the tagger's sample, with or without its own lemmas, drawn by the weight."""
        if how == "best":
            return self._best(scores)
        drawn = list(self.tagger._decode(scores.of_tagger, how))
        is_lemmatized = (torch.rand(len(drawn)).log() < self._log_weight).tolist()
        chosen = [each for each, chosen in zip(drawn, is_lemmatized, strict=True) if chosen]
        lemmatized = iter(self._lemmatized(chosen, how))
        return [
            next(lemmatized) if chosen else each
            for each, chosen in zip(drawn, is_lemmatized, strict=True)
        ]

    def _best(self, scores: Any) -> Iterable[Sentence]:
        for analyses in self._analyses(scores, 1):
            yield Sentence(tuple(best.token for (best,) in analyses))

    def _analyses(
        self, scores: "_Scores", k: int, within: float = math.inf
    ) -> Iterator[List[List[TokenAnalysis]]]:
        pairs = list(self.tagger._analyses(scores.of_tagger, max(k, MIN_PAIRS), within))
        tags = list(self.tagger._best_tags(scores.of_tagger, max(k, MIN_TAGS)))
        of_words = [self._sources(each) for each in scores.sentences]
        # What cannot be among the best need not be lemmatized: a pair is no more probable than its tag.
        promising = [
            [
                [each for each in of_tags if each.log_prob >= self._bound(of_pairs, k, within)]
                for of_pairs, of_tags in zip(*of_sentence, strict=True)
            ]
            for of_sentence in zip(pairs, tags, strict=True)
        ]
        lemmas = self._lemmas_of(
            [
                _inflected(source, each.token)
                for of_sentence in zip(of_words, promising, strict=True)
                for source, of_tags in zip(*of_sentence, strict=True)
                for each in of_tags
            ],
            # As many as its search has found anyway: others are seldom probable, and cost as much again each.
            self.lemmatizer.beam_size or 1,
        )
        for of_sentence in zip(of_words, pairs, promising, strict=True):
            yield [
                self._best_of_word(*each, lemmas, k, within)
                for each in zip(*of_sentence, strict=True)
            ]

    def _bound(self, pairs: Sequence[TokenAnalysis], k: int, within: float) -> float:
        """What the k-th best pair of a word has at least, or the last one `within` the best."""
        kth = pairs[k - 1].log_prob if k <= len(pairs) else -math.inf
        return self._log_weight_of_tagger + max(kth, pairs[0].log_prob - within)

    def _best_of_word(
        self,
        source: Source,
        pairs: Sequence[TokenAnalysis],
        tags: Sequence[TokenAnalysis],
        lemmas: Dict[Inflected, Candidates],
        k: int,
        within: float,
    ) -> List[TokenAnalysis]:
        totals = {token: self._log_weight_of_tagger + log_prob for log_prob, token in pairs}
        for of_tag, token in tags:
            for lemma, of_lemma in lemmas[_inflected(source, token)]:
                # The end may come at once, but no lemma is empty.
                if lemma:
                    pair = Token(token.form, lemma, token.tag)
                    added = self._log_weight + of_tag + of_lemma
                    totals[pair] = log_add(totals.get(pair, -math.inf), added)
        best = best_of(totals, k)
        return [each for each in best if each.log_prob >= best[0].log_prob - within]

    def _best_tags(self, scores: "_Scores", k: int) -> Iterable[List[List[TokenAnalysis]]]:
        return self.tagger._best_tags(scores.of_tagger, k)

    def _mixed(self, of_tagger: float, of_tags: float, of_lemmas: float) -> float:
        return log_add(
            self._log_weight_of_tagger + of_tagger, self._log_weight + of_tags + of_lemmas
        )

    # What the lemmatizer says

    def _sources(self, sentence: Sentence) -> List[Source]:
        return sources(sentence.forms, self._dotted)

    def _lemmas_of(self, asked: Iterable[Inflected], n_best: int) -> Dict[Inflected, Candidates]:
        """The best lemmas of each."""

        def lemmatize(new: List[Tuple[Inflected, int]]) -> List[Candidates]:
            instances = [self._reader.text_to_instance(*each) for each, _ in new]
            return self.lemmatizer.inflect(instances, n_best)

        found = self._remembered(((each, n_best) for each in asked), lemmatize)
        return {each: lemmas for (each, _), lemmas in found.items()}

    def _lemmatized(
        self, sentences: Sequence[Sentence], how: Literal["best", "sample"]
    ) -> List[Sentence]:
        """The sentences with their tags and the best lemmas, or each with one that is drawn."""
        asked = [
            _inflected(source, token)
            for sentence in sentences
            for source, token in zip(self._sources(sentence), sentence.tokens, strict=True)
        ]
        if how == "best":
            best = self._lemmas_of(asked, 1)
            lemmas = iter([best[each][0][0] for each in asked])
        else:
            instances = [self._reader.text_to_instance(*each) for each in asked]
            lemmas = iter(self.lemmatizer.sample(instances))
        return [
            Sentence(tuple(Token(token.form, next(lemmas), token.tag) for token in sentence.tokens))
            for sentence in sentences
        ]

    def _log_probs_of_lemmas(self, sentences: Sequence[Sentence]) -> List[List[float]]:
        """log r(ℓ_n | f_n, m_n) of each word, 0 where it has no lemma."""
        asked = [
            [
                None if token.lemma is None else (*_inflected(source, token), token.lemma)
                for source, token in zip(self._sources(sentence), sentence.tokens, strict=True)
            ]
            for sentence in sentences
        ]
        distinct = list(dict.fromkeys(each for row in asked for each in row if each is not None))
        instances = [self._reader.text_to_instance(*each) for each in distinct]
        log_probs = dict(zip(distinct, self.lemmatizer.log_prob(instances), strict=True))
        return [[0.0 if each is None else log_probs[each] for each in row] for row in asked]


class _Scores(NamedTuple):
    """A batch of sentences and the tagger's scores of them."""

    sentences: List[Sentence]
    of_tagger: Any


def _inflected(source: Source, token: Token) -> Inflected:
    return source.text, source.beside(tag_of(token))


def _without_lemmas(sentences: Sequence[Sentence]) -> List[Sentence]:
    return [
        Sentence(tuple(Token(token.form, None, token.tag) for token in each.tokens))
        for each in sentences
    ]
