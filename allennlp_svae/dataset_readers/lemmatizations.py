"""Sentences as distinct lemmatizations, which an inflector learns from as from inflections."""

from typing import List, Sequence

from allennlp.data import Instance

from allennlp_svae.data.lemmatization import lemmatizations
from allennlp_svae.data.sentence import Sentence
from allennlp_svae.dataset_readers.inflections import InflectionsReader
from allennlp_svae.dataset_readers.treebank_reader import weighted_by_count


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
    weighted = (
        (triple, weight)
        for sentence, weight in zip(sentences, weights, strict=True)
        for triple in lemmatizations(sentence, dotted)
    )
    return [
        reader.text_to_instance(triple.lemma, triple.tag, triple.form, weight * root)
        for (triple, weight), root in weighted_by_count(weighted, 0.5)
    ]
