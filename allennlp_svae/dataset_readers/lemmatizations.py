"""Sentences as distinct lemmatizations, which an inflector learns from as from inflections."""

from collections import Counter
from typing import List, Sequence

from allennlp.data import Instance

from allennlp_svae.data.lemmatization import lemmatizations
from allennlp_svae.data.sentence import Sentence
from allennlp_svae.dataset_readers.inflections import InflectionsReader


def lemmatization_instances(
    reader: InflectionsReader, sentences: Sequence[Sentence], weights: Sequence[float], dotted: bool
) -> List[Instance]:
    """
    Each distinct lemmatization of sentences of the same weight once. It weighs as such a sentence, times the square
    root of its count, which has mean one.

    # Parameters

    reader : `InflectionsReader`
        Makes the instances.
    sentences : `Sequence[Sentence]`
        Words without lemma or tag are left out.
    weights : `Sequence[float]`
        Of the sentences.
    dotted : `bool`
        See `sources`.
    """
    counts = Counter(
        (triple, weight)
        for sentence, weight in zip(sentences, weights, strict=True)
        for triple in lemmatizations(sentence, dotted)
    )
    mean = sum(count**0.5 for count in counts.values()) / max(1, len(counts))
    return [
        reader.text_to_instance(triple.lemma, triple.tag, triple.form, weight * count**0.5 / mean)
        for (triple, weight), count in counts.items()
    ]
