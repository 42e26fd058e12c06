"""Sentences with lemmas and tags: what the inference network q(ℓ, m | f) learns from (paper, section 5.5)."""

import logging
from collections import Counter
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import DatasetReader, Field, Instance, Token, TokenIndexer, Vocabulary
from allennlp.data.fields import MetadataField, TextField
from allennlp.data.vocabulary import DEFAULT_PADDING_TOKEN

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.lemma_features import lemma_features
from allennlp_svae.data.lemma_rules import analyze
from allennlp_svae.data.lemmatization import lemmatizations, sources
from allennlp_svae.data.sentence import Sentence, Triple, triples_of
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.word_features import word_features
from allennlp_svae.dataset_readers.inflections import CHARACTERS, TAG_PARTS
from allennlp_svae.dataset_readers.labels import OpenSequenceLabelField
from allennlp_svae.dataset_readers.treebank_reader import (
    TreebankReader,
    nothing_annotated,
    weight_field,
)
from allennlp_svae.dataset_readers.word_features_indexer import FeaturedToken, WordFeaturesIndexer

logger = logging.getLogger(__name__)

# In the place of a token's tag where the treebank gives none: the id of padding, never a tag's.
NO_TAG = DEFAULT_PADDING_TOKEN

# The namespace of the labelled words: form, the kind of its capital, lemma and tag, with tabulators between them, which
# none holds.
KNOWN_WORDS = "lemma_tags"

# What transducers learn from a sentence.
TRANSDUCERS: Dict[str, Callable[[Sentence], Iterator[Triple]]] = {
    "lemmatizer": lemmatizations,
    "inflector": lambda sentence: triples_of([sentence]),
}


class CountedSentenceField(MetadataField):
    """A `Sentence`, whose words with lemma and tag enter the vocabulary, and its words as transducers want them."""

    __slots__ = ["_transducers"]

    def __init__(self, sentence: Sentence, transducers: Sequence[str]) -> None:
        super().__init__(sentence)
        self._transducers = transducers

    def count_vocab_items(self, counter: Dict[str, Dict[str, int]]) -> None:
        for token, source in zip(self.metadata.tokens, sources(self.metadata.forms), strict=True):
            if token.lemma is not None and token.tag is not None:
                entry = token.form, source.capital, token.lemma, str(token.tag)
                counter[KNOWN_WORDS]["\t".join(entry)] += 1
        for name in self._transducers:
            for output, text, tag in TRANSDUCERS[name](self.metadata):
                for symbol in (START_SYMBOL, *text, *output, END_SYMBOL):
                    counter[CHARACTERS][symbol] += 1
                for part in tag.parts:
                    counter[TAG_PARTS][part] += 1


class KnownWord(NamedTuple):
    """A labelled word: its form, of `CAPITALS` that which it has or nothing, its lemma and its tag."""

    form: str
    capital: str
    lemma: str
    tag: MorphTag


def known_words(vocab: Vocabulary) -> List[KnownWord]:
    """
    The distinct labelled words that the vocabulary was made of.

    # Raises

    `ConfigurationError` where the vocabulary was made when only their lemmas and tags were kept.
    """
    found: List[KnownWord] = []
    for entry in vocab.get_token_to_index_vocabulary(KNOWN_WORDS):
        if "\t" in entry:
            parts = entry.split("\t")
            if len(parts) != len(KnownWord._fields):
                raise ConfigurationError(
                    f"The vocabulary's {KNOWN_WORDS} are those of an earlier version: train the model again."
                )
            form, capital, lemma, tag = parts
            found.append(KnownWord(form, capital, lemma, MorphTag.parse(tag)))
    return found


def tag_counts(vocab: Vocabulary) -> "Counter[MorphTag]":
    """How many of the labelled words have each tag; none where the vocabulary was loaded, which has no counts."""
    counts: Counter[MorphTag] = Counter()
    for entry, count in (vocab._retained_counter or {}).get(KNOWN_WORDS, {}).items():
        *_, tag = entry.split("\t")
        counts[MorphTag.parse(tag)] += count
    return counts


@DatasetReader.register("tagged_sentences")
class TaggedSentencesReader(TreebankReader):
    """
    Yields the sentences of a file in which any word has a tag, one instance each.

    Fields: `tokens`, the forms with their sparse features; `morphology`, the whole tags, of which a raw sentence given
    for annotation has none; `weight`; `metadata`, the `Sentence`.

    # Parameters

    token_indexers : `Dict[str, TokenIndexer]`, optional
        By default `{"word_features": WordFeaturesIndexer()}`.
    transducers : `List[str]`, optional (default = `[]`)
        `lemmatizer`, `inflector` or both, for whose sake characters and parts of tags enter the vocabulary: see
        `tagger_with_lemmatizer` and `tagger_with_inflector`.
    tagset, labeled_tokens, held_out
        See `TreebankReader`.
    """

    def __init__(
        self,
        token_indexers: Optional[Dict[str, TokenIndexer]] = None,
        transducers: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        for name in transducers:
            if name not in TRANSDUCERS:
                raise ConfigurationError(
                    f"`transducers` of tagged_sentences has {name!r}; it may have {' and '.join(TRANSDUCERS)}."
                )
        self._transducers = tuple(transducers)
        self._token_indexers = token_indexers or {"word_features": WordFeaturesIndexer()}

    def _read(self, file_path: str) -> Iterable[Instance]:
        """Raises `DataError` where no word has a tag, or none a lemma; words that lack one are counted in the log."""
        # Each word with the number of its sentence.
        without: Dict[str, List[Tuple[str, int]]] = {"tag": [], "lemma": []}
        num_words = 0
        for number, sentence in enumerate(self.sentences(file_path), start=1):
            if sentence.tokens:
                num_words += len(sentence)
                for token in sentence.tokens:
                    for what, words in without.items():
                        if getattr(token, what) is None:
                            words.append((token.form, number))
                if _is_tagged(sentence):
                    yield self._instance(sentence, 1.0)
        for what, words in without.items():
            if len(words) == num_words:
                raise nothing_annotated(f"no word has a {what}", file_path)
            if words:
                logger.warning(
                    "%s: %d of %d words have no %s, the first is %r in sentence %d. It is neither learned nor "
                    "evaluated there; annotate them if they should be.",
                    file_path,
                    len(words),
                    num_words,
                    what,
                    *words[0],
                )

    def text_to_instance(self, sentence: Sentence, weight: float = 1.0) -> Instance:
        """
        # Parameters

        sentence : `Sentence`
            Of at least one token, each with or without lemma and tag.
        weight : `float`, optional (default = `1.0`)
            The weight of the sentence in the objective.

        # Raises

        `DataError` where the sentence has no token.
        """
        instance = self._instance(sentence, weight)
        self.apply_token_indexers(instance)
        return instance

    def apply_token_indexers(self, instance: Instance) -> None:
        instance["tokens"].token_indexers = self._token_indexers

    def _instance(self, sentence: Sentence, weight: float) -> Instance:
        if not sentence.tokens:
            raise DataError("The sentence has no words.", remedy="Give at least one word.")
        tokens: List[Token] = []
        for token, features in zip(sentence.tokens, word_features(sentence.forms), strict=True):
            if token.lemma is None:
                tokens.append(FeaturedToken(token.form, features))
            else:
                analysis = analyze(token.form, token.lemma)
                of_lemma = lemma_features(token.form, analysis)
                tokens.append(FeaturedToken(token.form, features, analysis.tree, of_lemma))
        words = TextField(tokens)
        fields: Dict[str, Field] = {
            "tokens": words,
            "weight": weight_field(weight),
            "metadata": CountedSentenceField(sentence, self._transducers),
        }
        if _is_tagged(sentence):
            tags = [NO_TAG if token.tag is None else str(token.tag) for token in sentence.tokens]
            fields["morphology"] = OpenSequenceLabelField(tags, words, "morphology")
        return Instance(fields)


def _is_tagged(sentence: Sentence) -> bool:
    return any(token.tag is not None for token in sentence.tokens)
