"""The lemma candidates of forms, as the vocabulary sees them, extracted once a form."""

from functools import lru_cache
from typing import List, NamedTuple, Optional, Sequence, Tuple

import numpy
import torch
from allennlp.data import Vocabulary

from allennlp_svae.data.edit_tree_index import EditTreeIndex
from allennlp_svae.data.lemma_features import LemmaFeatureNumbers
from allennlp_svae.data.lemma_rules import Analysis, analyze
from allennlp_svae.data.sentence import Token
from allennlp_svae.dataset_readers.tagged_sentences import known_words
from allennlp_svae.dataset_readers.word_features_indexer import EDIT_TREES, LEMMA_FEATURES
from allennlp_svae.modules.lexicon import Lexicon
from allennlp_svae.modules.word_statistics import WordStatistics

# Forms to remember: the frequent ones of a large text, at a few kilobytes each.
CACHE_SIZE = 50_000
# Of a lemma that the lexicon lists for the form, and of one that it does not, though it lists others.
_LISTED, _NOT_LISTED = 0, 1


class FormLemmas(NamedTuple):
    """The lemmas of a form, their features one after another, and how many each has."""

    lemmas: Tuple[str, ...]
    features: numpy.ndarray
    sizes: Tuple[int, ...]


class CandidateBatch(NamedTuple):
    """
    The candidates of several forms, one after another.

    # Parameters

    lemmas : `List[Tuple[str, ...]]`
        By form.
    features : `torch.LongTensor`
        Shape (num_occurrences,).
    offsets : `torch.LongTensor`
        Where the features of each candidate begin; shape (num_candidates,).
    form_of : `torch.LongTensor`
        To which form each candidate belongs; shape (num_candidates,).
    starts : `torch.LongTensor`
        The first candidate of each form; shape (num_forms,).
    counts : `torch.LongTensor`
        How many candidates each form has; shape (num_forms,).
    """

    lemmas: List[Tuple[str, ...]]
    features: torch.LongTensor
    offsets: torch.LongTensor
    form_of: torch.LongTensor
    starts: torch.LongTensor
    counts: torch.LongTensor

    def rows(self, forms: torch.LongTensor) -> Tuple[torch.LongTensor, torch.BoolTensor]:
        """
        The candidates of each of several forms, and where a form has no more; both of shape (num_forms,
        max_candidates).
        """
        ranks = torch.arange(int(self.counts.max()), device=forms.device)
        rows = self.starts[forms].unsqueeze(-1) + ranks
        return rows.clamp(max=len(self.form_of) - 1), ranks >= self.counts[forms].unsqueeze(-1)


class LemmaCandidates:
    """
    # Parameters

    vocab : `Vocabulary`
        With the edit trees by falling count, and the features of lemmas.
    at_most : `int`
        How many candidates a form has, beside itself: those by the trees that are likeliest to be right.
    statistics : `WordStatistics`, optional (default = `None`)
        What raw text tells of lemmas: their features come after those of the vocabulary.
    lexicon : `Lexicon`, optional (default = `None`)
        Lists further lemmas; whether it lists a lemma is a feature, after the others.

    # Attributes

    num_features : `int`
    """

    def __init__(
        self,
        vocab: Vocabulary,
        at_most: int,
        statistics: Optional[WordStatistics] = None,
        lexicon: Optional[Lexicon] = None,
    ) -> None:
        specials = {vocab._padding_token, vocab._oov_token}
        trees = sorted(vocab.get_index_to_token_vocabulary(EDIT_TREES).items())
        self._trees = EditTreeIndex(
            (tree for _, tree in trees if tree not in specials),
            ((word.form, word.lemma) for word in known_words(vocab)),
        )
        self._numbers = LemmaFeatureNumbers(vocab.get_token_to_index_vocabulary(LEMMA_FEATURES))
        self._at_most = at_most
        self._statistics = statistics
        self.num_features: int = vocab.get_vocab_size(LEMMA_FEATURES)
        self._first_statistic = self.num_features
        if statistics is not None:
            self.num_features += statistics.num_lemma_features
        self._lexicon = lexicon
        self._first_of_lexicon = self.num_features
        if lexicon is not None:
            self.num_features += 2
        self.of = lru_cache(maxsize=CACHE_SIZE)(self._of)
        self.with_lemma = lru_cache(maxsize=CACHE_SIZE)(self._with_lemma)

    def of_words(
        self, words: Sequence[Token], extend: bool, device: torch.device
    ) -> Tuple[CandidateBatch, List[int]]:
        """
        The candidates of each distinct form, and which of these forms each word has. `extend` adds annotated lemmas to
        the candidates that lack them.
        """
        keys = [(word.form, self._missing(word) if extend else None) for word in words]
        places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        found = [
            self.of(form) if lemma is None else self.with_lemma(form, lemma)
            for form, lemma in places
        ]
        return batch_candidates(found, device), [places[key] for key in keys]

    def _missing(self, word: Token) -> Optional[str]:
        return None if word.lemma in self.of(word.form).lemmas else word.lemma

    def _of(self, form: str) -> FormLemmas:
        """The candidates of a form."""
        found = self._trees.candidates(form, self._at_most)
        if self._lexicon is not None:
            known = {analysis.lemma for analysis in found}
            listed = (lemma for lemma in self._lexicon.lemmas(form) if lemma not in known)
            found += (analyze(form, lemma) for lemma in listed)
        return self._featurize(form, found)

    def _with_lemma(self, form: str, lemma: str) -> FormLemmas:
        """The candidates of a form and, if it is not among them, one lemma more, as the last."""
        known = self.of(form)
        if lemma in known.lemmas:
            return known
        added = self._featurize(form, [analyze(form, lemma)])
        return FormLemmas(
            known.lemmas + added.lemmas,
            numpy.concatenate([known.features, added.features]),
            known.sizes + added.sizes,
        )

    def _featurize(self, form: str, analyses: Sequence[Analysis]) -> FormLemmas:
        features = self._numbers(form, analyses)
        lemmas = tuple(analysis.lemma for analysis in analyses)
        if self._statistics is not None:
            of_lemmas = self._statistics.of_lemmas(form, lemmas)
            for known, statistics in zip(features, of_lemmas, strict=True):
                known += (self._first_statistic + statistic for statistic in statistics)
        listed = set(self._lexicon.lemmas(form)) if self._lexicon is not None else None
        if listed:
            for lemma, known in zip(lemmas, features, strict=True):
                known.append(self._first_of_lexicon + (_LISTED if lemma in listed else _NOT_LISTED))
        return FormLemmas(
            lemmas,
            numpy.array([index for bag in features for index in bag], dtype=numpy.int64),
            tuple(map(len, features)),
        )


def batch_candidates(
    candidates_of_forms: Sequence[FormLemmas], device: torch.device
) -> CandidateBatch:
    """The candidates of several forms in tensors; each form has at least one."""
    sizes = numpy.concatenate([each.sizes for each in candidates_of_forms])
    counts = numpy.array([len(each.lemmas) for each in candidates_of_forms])

    def tensor(array: numpy.ndarray) -> torch.LongTensor:
        return torch.from_numpy(array.astype(numpy.int64)).to(device)

    return CandidateBatch(
        [each.lemmas for each in candidates_of_forms],
        tensor(numpy.concatenate([each.features for each in candidates_of_forms])),
        tensor(numpy.cumsum(sizes) - sizes),
        tensor(numpy.repeat(numpy.arange(len(counts)), counts)),
        tensor(numpy.cumsum(counts) - counts),
        tensor(counts),
    )
