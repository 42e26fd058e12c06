"""Toy networks that weigh pairs anew, and what they make of two words, by their formulas."""

import math
from collections import Counter
from typing import Any, Dict, List

import pytest
import torch
from allennlp.common import Params
from allennlp.data import Vocabulary
from allennlp.models import Model

from allennlp_svae.data.lemmatization import sources
from allennlp_svae.data.sentence import Token
from allennlp_svae.dataset_readers.inflections import InflectionsReader
from allennlp_svae.dataset_readers.tagged_sentences import TaggedSentencesReader
from allennlp_svae.models.crf_tagger_lemmatizer import CrfTaggerLemmatizer
from allennlp_svae.models.inference_network import InferenceNetwork, tag_of
from allennlp_svae.models.tagger_with_inflector import TaggerWithInflector
from allennlp_svae.models.tagger_with_prior import TaggerWithPrior
from allennlp_svae.models.weighed_pairs import WeighedPairs
from allennlp_svae.modules.joint_lemmatizer import Lemmatized
from tests.inflection_toy import transducer_params
from tests.models.crf_toy import sentence

WEIGHT = 0.7
ANNOTATED = [
    "Evler/ev/NOUN;Number=Plur ev/ev/NOUN;Number=Sing",
    "gelir/gel/VERB ve/ve/CCONJ Ege/Ege/PROPN",
]
WORDS = sentence("Evler// gel//")
READER = TaggedSentencesReader(tagset="ud", transducers=["lemmatizer", "inflector"])
INSTANCE = READER.text_to_instance(WORDS)


def tagger() -> CrfTaggerLemmatizer:
    torch.manual_seed(3)
    vocab = Vocabulary.from_instances(
        [READER.text_to_instance(sentence(each)) for each in ANNOTATED]
    )
    made = CrfTaggerLemmatizer(vocab, max_candidates=2)
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    return made


def with_inflector(**options: Any) -> TaggerWithInflector:
    asking = tagger()
    inflector = Model.from_params(vocab=asking.vocab, params=Params(transducer_params()))
    return TaggerWithInflector(asking.vocab, asking, inflector, **options).eval()  # type: ignore[no-any-return]


def with_prior(**options: Any) -> TaggerWithPrior:
    weighed = tagger()
    return TaggerWithPrior(weighed.vocab, weighed, **options).eval()  # type: ignore[no-any-return]


def distributions(model: WeighedPairs) -> List[Dict[Token, float]]:
    """q of each pair of each word of `WORDS`, by the formula."""
    if isinstance(model, TaggerWithInflector):
        return _asking(model)
    assert isinstance(model, TaggerWithPrior)
    return _weighing(model)


def _weighing(model: TaggerWithPrior) -> List[Dict[Token, float]]:
    (found,) = model.tagger.analyses([INSTANCE], model._num_pairs)
    share = model._lemmatizer_weight
    expected = []
    for source, pairs in zip(sources(WORDS.forms), found, strict=True):
        least = pairs[0].log_prob - model._within
        before = {each.token: math.exp(each.log_prob) for each in pairs if each.log_prob >= least}
        mixed: Dict[Token, float] = Counter(before)
        # Of a single pair there is no doubt.
        for tag in {tag_of(token) for token in before if len(before) > 1}:
            (lemmas,) = model._prior.lemmatizer.lemmas([(source, tag)])
            if lemmas and share:
                of_tag = [token for token in before if token.tag == tag]
                total = sum(before[token] for token in of_tag)
                for token in of_tag:
                    mixed[token] -= share * before[token]
                for lemma, log_prob in lemmas:
                    token = of_tag[0]._replace(lemma=lemma)
                    mixed[token] += share * total * math.exp(log_prob)
        tokens = list(mixed)
        weights = model._prior(
            [Lemmatized(source, str(each.lemma), tag_of(each)) for each in tokens]
        )
        probs = {
            token: mixed[token] * math.exp(weight)
            for token, weight in zip(tokens, weights, strict=True)
        }
        expected.append({token: prob / sum(probs.values()) for token, prob in probs.items()})
    return expected


def _asking(model: TaggerWithInflector) -> List[Dict[Token, float]]:
    (found,) = model.tagger.analyses([INSTANCE], model._num_pairs)
    reader = InflectionsReader()
    expected = []
    for pairs in found:
        before = {each.token: math.exp(each.log_prob) for each in pairs}
        greatest = max(before.values())
        in_doubt = [
            token for token, prob in before.items() if prob > greatest * math.exp(-8 * WEIGHT)
        ]
        asked = [reader.text_to_instance(each.lemma, each.tag, each.form) for each in in_doubt]
        after = dict(before)
        for token, log_prob in zip(in_doubt, model.inflector.log_prob(asked), strict=True):
            after[token] *= (math.exp(log_prob) + math.exp(-8)) ** WEIGHT
        scale = sum(before[each] for each in in_doubt) / sum(after[each] for each in in_doubt)
        for token in in_doubt:
            after[token] *= scale
        total = sum(after.values())
        expected.append({token: prob / total for token, prob in after.items()})
    return expected


def assert_company_does_not_matter(model: InferenceNetwork, reader: TaggedSentencesReader) -> None:
    """Annotations and posteriors of sentences are the same together as one by one."""
    texts = ["Evler// gelir//", "geldi//", "ev// Ege'de// ev// gelir// .//", "ev// Ege//", "Ege//"]
    instances = [reader.text_to_instance(sentence(text)) for text in texts]
    together = model.annotate(instances)
    assert [model.annotate([instance])[0] for instance in instances] == together
    posteriors = model.posteriors(instances, together)
    for instance, annotation, probs in zip(instances, together, posteriors, strict=True):
        assert model.posteriors([instance], [annotation])[0] == pytest.approx(probs, abs=1e-5)
