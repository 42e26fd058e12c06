"""`Analyses` by a network of independent words; see `NeuralTaggerLemmatizer`."""

import heapq
import math
from itertools import islice
from typing import (
    Dict,
    Iterable,
    Iterator,
    List,
    Literal,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
)

import numpy
import torch

from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.modules.lemma_classifier import LemmaDistribution
from allennlp_svae.modules.path_search import search_paths
from allennlp_svae.modules.tag_classifier import TagDistribution
from allennlp_svae.modules.tag_factors import Choices, TagFactors
from allennlp_svae.modules.token_analysis import TokenAnalysis

Item = TypeVar("Item")


class Gold(NamedTuple):
    """What is annotated and q can produce: the tag, and which candidate the lemma is, of each word."""

    tags: List[Optional[Choices]]
    ranks: List[Optional[int]]

    @property
    def num_tags(self) -> int:
        return sum(choices is not None for choices in self.tags)


class WordScores(NamedTuple):
    """
    q for the words of all sentences, one after another.

    # Parameters

    factors : `TagFactors`
        What tags are made of.
    part_places : `Dict[str, int]`
        Where each part of a tag is among those that `lemmas` knows.
    lengths : `List[int]`
        Of the sentences, in words.
    words : `List[Token]`
    forms : `List[int]`
        Which form of `lemmas` each word has.
    candidates : `List[Tuple[str, ...]]`
        Each word's lemmas.
    tags : `TagDistribution`
    lemmas : `LemmaDistribution`
    """

    factors: TagFactors
    part_places: Dict[str, int]
    lengths: List[int]
    words: List[Token]
    forms: List[int]
    candidates: List[Tuple[str, ...]]
    tags: TagDistribution
    lemmas: LemmaDistribution

    def by_sentence(self, of_words: Iterable[Item]) -> Iterator[List[Item]]:
        items = iter(of_words)
        return (list(islice(items, length)) for length in self.lengths)

    def gold(self) -> Gold:
        return Gold(
            [None if word.tag is None else self.factors.choices(word.tag) for word in self.words],
            [
                lemmas.index(word.lemma) if word.lemma in lemmas else None
                for word, lemmas in zip(self.words, self.candidates, strict=True)
            ],
        )

    def log_probs(self, gold: Gold) -> torch.Tensor:
        """log q of each word's lemma and tag, without what `gold` lacks; shape (num_words,)."""
        tagged = [(word, tag) for word, tag in enumerate(gold.tags) if tag is not None]
        both = [(word, tag, rank) for word, tag in tagged if (rank := gold.ranks[word]) is not None]
        log_probs = torch.zeros(len(self.words), device=self.lemmas.device)
        if tagged:
            words = self._tensor([word for word, _ in tagged])
            of_tags = self.tags.log_prob(words, [tag for _, tag in tagged])
            log_probs = log_probs.index_add(0, words, of_tags)
        if both:
            of_lemmas = self.lemmas.log_probs(
                self._tensor([self.forms[word] for word, _, _ in both]),
                self._multi_hot([tag for _, tag, _ in both]),
            )
            ranks = self._tensor([[rank] for _, _, rank in both])
            words = self._tensor([word for word, _, _ in both])
            log_probs = log_probs.index_add(0, words, of_lemmas.gather(1, ranks).squeeze(1))
        return log_probs

    def decode(self, how: Literal["best", "sample"]) -> Iterator[Sentence]:
        tokens = (
            [found[0].token for found in self._best_analyses(1)]
            if how == "best"
            else self._sample()
        )
        return map(Sentence, map(tuple, self.by_sentence(tokens)))

    def _sample(self) -> List[Token]:
        tags = self.tags.sample()
        of_lemmas = self.lemmas.log_probs(self._tensor(self.forms), self._multi_hot(tags))
        ranks = torch.distributions.Categorical(logits=of_lemmas, validate_args=False).sample()
        return [
            Token(word.form, lemmas[rank], self.factors.tag_of(choices))
            for word, lemmas, rank, choices in zip(
                self.words, self.candidates, ranks.tolist(), tags, strict=True
            )
        ]

    def k_best(self, k: int) -> Iterator[List[Tuple[Sentence, float]]]:
        for found in self.by_sentence(self._best_analyses(k)):
            # A chain of one state, whose variants are a word's analyses.
            best = numpy.array([[analyses[0].log_prob] for analyses in found])
            below = [
                numpy.array([[analysis.log_prob - analyses[0].log_prob for analysis in analyses]])
                for analyses in found
            ]
            paths = search_paths(
                best.cumsum(axis=0),
                lambda position, _, best=best: best[position],  # type: ignore[misc]
                k,
                below.__getitem__,
            )
            yield [
                (
                    Sentence(
                        tuple(
                            analyses[variant].token
                            for analyses, variant in zip(found, path.variants, strict=True)
                        )
                    ),
                    path.score,
                )
                for path in paths
            ]

    def best_tags(self, k: int) -> Iterator[List[List[TokenAnalysis]]]:
        return self.by_sentence(
            [
                TokenAnalysis(log_prob, Token(word.form, None, self.factors.tag_of(choices)))
                for log_prob, choices in islice(tags, k)
            ]
            for word, tags in zip(self.words, self.tags.best_first(), strict=True)
        )

    def analyses(self, k: int, within: float = math.inf) -> Iterator[List[List[TokenAnalysis]]]:
        return self.by_sentence(self._best_analyses(k, within))

    def _best_analyses(self, k: int, within: float = math.inf) -> List[List[TokenAnalysis]]:
        """
        For each word its k best pairs of lemma and tag, of those that are at most `within` nats less probable than the
        best. No lemma makes a tag better than it is alone, so tags are tried from the best on until the next is no
        better than the k-th pair.
        """
        return [
            self._best_of_word(word, tags, k, within)
            for word, tags in enumerate(self.tags.best_first())
        ]

    def _best_of_word(
        self, word: int, tags: Iterator[Tuple[float, Choices]], k: int, within: float
    ) -> List[TokenAnalysis]:
        form = self.words[word].form
        found: List[Tuple[float, str, Choices]] = []
        for log_prob, choices in tags:
            if found and (
                log_prob < found[0][0] - within or (len(found) == k and log_prob <= found[-1][0])
            ):
                break
            of_lemmas = self.lemmas.of_form(self.forms[word], self._places_of(choices))
            pairs = zip(of_lemmas, self.candidates[word], strict=True)
            found += ((log_prob + of_lemma, lemma, choices) for of_lemma, lemma in pairs)
            found = heapq.nlargest(k, found)
        return [
            TokenAnalysis(log_prob, Token(form, lemma, self.factors.tag_of(choices)))
            for log_prob, lemma, choices in found
            if log_prob >= found[0][0] - within
        ]

    def _places_of(self, choices: Choices) -> List[int]:
        return [self.part_places[part] for part in self.factors.tag_of(choices).parts]

    def _multi_hot(self, tags: Sequence[Choices]) -> torch.Tensor:
        """Which parts tags have; shape (num_tags, num_parts)."""
        multi_hot = torch.zeros(len(tags), len(self.part_places))
        for row, choices in zip(multi_hot, tags, strict=True):
            row[self._places_of(choices)] = 1.0
        return multi_hot.to(self.lemmas.device)

    def _tensor(self, values: Sequence[object]) -> torch.Tensor:
        return torch.tensor(values, device=self.lemmas.device)
