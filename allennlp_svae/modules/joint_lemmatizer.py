"""Lemmas by joint n-grams of the labelled words, and how much a word's form and lemma tell of its tag."""

from collections import Counter
from typing import Dict, List, NamedTuple, Sequence, Tuple

from allennlp.common import FromParams
from allennlp.common.checks import ConfigurationError
from allennlp.data import Vocabulary

from allennlp_svae.data.casing import capitalize
from allennlp_svae.data.ending_model import TagModel
from allennlp_svae.data.joint_ngrams import JointNgrams
from allennlp_svae.data.lemmatization import Source, decapitalized
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.tagged_sentences import known_words
from allennlp_svae.modules.candidates import Candidates
from allennlp_svae.modules.dotted_i import dotted_i


class Lemmatized(NamedTuple):
    """What a word is lemmatized from, a lemma and a tag."""

    source: Source
    lemma: str
    tag: MorphTag


class JointLemmatizer(FromParams):
    """
    # Parameters

    vocab : `Vocabulary`
        With the labelled words, as the `tagged_sentences` reader counts them.
    order : `int`, optional (default = `6`)
        Of the n-grams, in symbols; see `JointNgrams`.
    num_lemmas : `int`, optional (default = `4`)
        How many lemmas it has for a word with a tag, at most.
    within : `float`, optional (default = `2.0`)
        How many nats they are less probable than the best, at most.

    # Raises

    `ConfigurationError` where a number is none of those.
    """

    def __init__(
        self, vocab: Vocabulary, order: int = 6, num_lemmas: int = 4, within: float = 2.0
    ) -> None:
        if num_lemmas < 1:
            raise ConfigurationError(f"num_lemmas is {num_lemmas}; a word needs one at least.")
        if within < 0.0:
            raise ConfigurationError(f"within is {within}; it must not be negative.")
        self._num_lemmas = num_lemmas
        self._within = within
        words = known_words(vocab)
        self.dotted = dotted_i(vocab)
        known: Dict[Lemmatized, None] = {}
        votes: Dict[Tuple[str, str], Counter[bool]] = {}
        for word in words:
            text = decapitalized(word.form, self.dotted) if word.capital else word.form
            source = Source(text, word.capital)
            known[Lemmatized(source, self._base(source, word.lemma), word.tag)] = None
            if word.capital:
                is_capital = word.lemma[:1].isupper()
                votes.setdefault((word.tag.pos, word.capital), Counter())[is_capital] += 1
        self._known = {(each.source.text, each.tag.pos) for each in known}
        # Of a part of speech and a kind of capital, whether lemmas keep it.
        self._keeps_capital = {kind: count[True] > count[False] for kind, count in votes.items()}
        texts = [(each.source.text, each.lemma, str(each.tag)) for each in known]
        self._ngrams = JointNgrams(texts, order) if texts else None
        self._length = order - 1
        self._tags = TagModel(
            ((self._edits(each.source.text, each.lemma), each.tag) for each in known), order
        )

    def lemmas(self, asked: Sequence[Tuple[Source, MorphTag]]) -> List[Candidates]:
        """
        For each word and tag the best lemmas with log p(ℓ | f, m), best first; see `JointNgrams`. None where the word
        is labelled with the part of speech, so that its lemma is known, or no word with the tag.
        """
        if self._ngrams is None:
            return [[] for _ in asked]
        new = [
            (source, tag)
            for source, tag in dict.fromkeys(asked)
            if (source.text, tag.pos) not in self._known
        ]
        texts = [(source.text, str(tag)) for source, tag in new]
        found = dict(
            zip(new, self._ngrams.lemmas(texts, self._num_lemmas, self._within), strict=True)
        )
        return [
            [(self._cased(*each, base), log_prob) for base, log_prob in found.get(each, [])]
            for each in asked
        ]

    def scores_of_tags(self, words: Sequence[Lemmatized]) -> List[float]:
        """What the last edits that make ℓ of f say of m, given its part of speech, in nats; see `TagModel`."""
        # Tags have lemmas in common.
        edits = {
            (source, lemma): self._edits(source.text, self._base(source, lemma))
            for source, lemma in dict.fromkeys((each.source, each.lemma) for each in words)
        }
        return self._tags.scores([(edits[each.source, each.lemma], each.tag) for each in words])

    def _edits(self, form: str, lemma: str) -> str:
        """The last ones, as symbols; none where nothing is known."""
        if self._ngrams is None:
            return ""
        return self._ngrams.edits(form, lemma, self._length)

    def _base(self, source: Source, lemma: str) -> str:
        """The lemma without the capital that the form lost."""
        return decapitalized(lemma, self.dotted) if source.capital else lemma

    def _cased(self, source: Source, tag: MorphTag, base: str) -> str:
        keeps = self._keeps_capital.get((tag.pos, source.capital), False)
        return capitalize(base, self.dotted) if keeps else base
