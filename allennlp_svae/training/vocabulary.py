"""One vocabulary for all parts of a model, and for the words and characters of all the text."""

import logging
from collections import defaultdict
from typing import Dict, Iterable, List, Optional, Tuple

from allennlp.data import DatasetReader, Instance, Vocabulary

from allennlp_svae.data.capitals import capitalized_words
from allennlp_svae.data.lexicon import read_lexicon
from allennlp_svae.data.normal_forms import written_twice
from allennlp_svae.data.raw_text import RawText
from allennlp_svae.data.word_features import endings
from allennlp_svae.dataset_readers.inflections import (
    ATTESTED,
    CAPITALIZED,
    CHARACTERS,
    InflectionsReader,
    strings_of,
)
from allennlp_svae.dataset_readers.svae import SvaeReader
from allennlp_svae.dataset_readers.treebank_reader import TreebankReader
from allennlp_svae.dataset_readers.word_features_indexer import ENDINGS, WORDS
from allennlp_svae.modules.lexicon import LEXICON, entry_token

logger = logging.getLogger(__name__)


@Vocabulary.register("treebank", constructor="from_treebank")
class TreebankVocabulary(Vocabulary):
    """
    AllenNLP's `Vocabulary` with a constructor that lets every part's reader count the labelled data and
    adds all forms, labelled or not, under `attested_forms`, their characters, and a lexicon's entries; for an inflector
    also, under `capitalized_words`, which words the raw text writes with a capital, if the labelled ones bear it out.

    # Attributes

    raw_text : `RawText`, optional
        The unlabelled sentences, for what is learned from them as a model is made. It is not saved: what was
        learned is among the model's weights.
    """

    raw_text: Optional[RawText] = None

    @classmethod
    def from_treebank(
        cls,
        instances: Iterable[Instance],
        reader: DatasetReader,
        labeled: str,
        unlabeled: Optional[List[str]] = None,
        lexicon: Optional[str] = None,
    ) -> "TreebankVocabulary":
        """
        # Parameters

        instances : `Iterable[Instance]`
            What AllenNLP read for the trainer; not used, since the part's reader counts it again.
        reader : `DatasetReader`
            An `SvaeReader`, or the reader of one part.
        labeled : `str`
            The data path of the labelled portion.
        unlabeled : `List[str]`, optional (default = `None`)
            Data paths of which only the forms are read.
        lexicon : `str`, optional (default = `None`)
            A UniMorph or CoNLL-U file, whose entries are kept under `lexicon`; see `read_lexicon`.
        """
        assert isinstance(reader, TreebankReader)
        readers = reader.readers.values() if isinstance(reader, SvaeReader) else [reader]
        counter: Dict[str, Dict[str, int]] = defaultdict(lambda: defaultdict(int))
        inflections: Dict[Tuple[str, str], None] = {}
        for part in readers:
            for instance in part.read(labeled):
                instance.count_vocab_items(counter)
                if isinstance(part, InflectionsReader):
                    strings = strings_of(instance)
                    inflections[strings["form"], strings["lemma"]] = None
        for path in [labeled, *(unlabeled or [])]:
            for form in reader.forms(path):
                counter[ATTESTED][form] += 1
                for character in form:
                    counter[CHARACTERS][character] += 1
        _warn_of_two_encodings(counter[ATTESTED])
        if lexicon is not None:
            for entry in read_lexicon(lexicon, reader.tagset):
                counter[LEXICON][entry_token(entry)] += 1
        # Without the labelled words: counted, each would occur, as many a word of new text does not.
        sentences = (each for path in unlabeled or [] for each in reader.sentences(path))
        raw_text = RawText(sentence.forms for sentence in sentences)
        if WORDS in counter:
            occurrences = raw_text.counts.sum(axis=1).tolist()
            for word, count in zip(raw_text.words, occurrences, strict=True):
                counter[WORDS][word] += count
                for ending in endings(word):
                    counter[ENDINGS][ending] += count
        for word in capitalized_words(raw_text, inflections):
            counter[CAPITALIZED][word] += 1
        vocab = cls(counter=counter)
        vocab.raw_text = raw_text
        return vocab


def _warn_of_two_encodings(words: Dict[str, int]) -> None:
    twice = written_twice(words.keys())
    if twice:
        logger.warning(
            f"{twice[0]!r} and {len(twice) - 1} other words of the text are there in two Unicode normal forms: they "
            "look the same and are different words to the models. Remedy: convert the files to one of them, for "
            "example by `uconv -x nfc`."
        )
