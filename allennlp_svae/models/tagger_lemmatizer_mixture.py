"""
A mixture of inference networks: q(ℓ, m | f) = Σ_k w_k q_k(ℓ, m | f).

Networks of different families err in different places. Since it is a distribution, wake-sleep can sample from it and
score with it as with any of them.
"""

import heapq
import math
from typing import Any, Dict, Iterator, List, Literal, Optional, Sequence, Tuple

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model

from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.models.inference_network import (
    InferenceNetwork,
    TokenAnalysis,
    with_annotations,
)
from allennlp_svae.modules.candidates import log_add

# How many pairs each component names for a word at least; another counts as impossible for it.
MIN_PAIRS = 8


@Model.register("tagger_lemmatizer_mixture")
class TaggerLemmatizerMixture(InferenceNetwork):
    """
    Its components share the instances and are trained apart, each by a trainer of its own: see `ComponentTrainer`.

    # Parameters

    vocab : `Vocabulary`
        With all that the components need.
    components : `Dict[str, Model]`
        Any `InferenceNetwork`s, by name.
    weights : `Dict[str, float]`, optional (default = all the same)
        w of each; scaled to sum to one.

    # Raises

    `ConfigurationError` where a component is none, or the weights are not positive or not the components'.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        components: Dict[str, Model],
        weights: Optional[Dict[str, float]] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        networks = components.values()
        if not networks or not all(isinstance(each, InferenceNetwork) for each in networks):
            raise ConfigurationError(
                "`components` of tagger_lemmatizer_mixture must be tagger-lemmatizers."
            )
        shares = dict.fromkeys(components, 1.0) if weights is None else weights
        if shares.keys() != components.keys() or min(shares.values()) <= 0.0:
            raise ConfigurationError(
                "`weights` of tagger_lemmatizer_mixture must be positive, one for each of `components`."
            )
        # Not a list: AllenNLP leaves initializers out of what it loads, but does not look for them in lists.
        self.components = torch.nn.ModuleDict(components)
        total = sum(shares.values())
        self._log_weights = [math.log(shares[name] / total) for name in components]

    def forward(
        self,
        tokens: TextFieldTensors,
        morphology: Optional[torch.LongTensor] = None,
        weight: Optional[torch.Tensor] = None,
        metadata: Optional[List[Sentence]] = None,
    ) -> Dict[str, Any]:
        """
        # Parameters

        tokens, morphology, weight, metadata
            As for the components.

        # Returns

        In training `loss`, the sum of the components' losses, where anything is tagged; in evaluation `tags` and
        `lemmas`, the best ones as strings.
        """
        assert metadata is not None
        if not self.training:
            found = list(self._decode(self._scores_of(tokens, metadata), "best"))
            return self._evaluated(found, metadata, morphology is not None)
        losses = [
            component(tokens=tokens, morphology=morphology, weight=weight, metadata=metadata)
            for component in self._networks()
        ]
        if morphology is None:
            return {}
        return {"loss": torch.stack([each["loss"] for each in losses]).sum()}

    def k_best(self, instances: Sequence[Instance], k: int) -> List[List[Tuple[Sentence, float]]]:
        """
        For each sentence its up to `k` best distinct annotations with log q, best first, among the k best of every
        component: where these disagree there may be better ones. Not what `annotate` says, which chooses word by word.
        """
        found: List[Dict[Sentence, None]] = [{} for _ in instances]
        for component in self._networks():
            for known, paths in zip(found, component.k_best(instances, k), strict=True):
                known.update((annotation, None) for annotation, _ in paths)
        asked = [
            instance
            for instance, known in zip(instances, found, strict=True)
            for instance in with_annotations([instance] * len(known), list(known))
        ]
        log_probs = iter(self.log_prob(asked))
        return [
            heapq.nlargest(
                k,
                ((annotation, next(log_probs)) for annotation in known),
                key=lambda pair: pair[1],
            )
            for known in found
        ]

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        totals = [-math.inf] * len(instances)
        for log_weight, component in zip(self._log_weights, self._networks(), strict=True):
            log_probs = component.log_prob(instances)
            totals = [
                log_add(total, log_weight + log_prob)
                for total, log_prob in zip(totals, log_probs, strict=True)
            ]
        return totals

    def posteriors(
        self, instances: Sequence[Instance], annotations: Sequence[Sentence]
    ) -> List[List[float]]:
        totals = [[0.0] * len(each) for each in annotations]
        for log_weight, component in zip(self._log_weights, self._networks(), strict=True):
            found = component.posteriors(instances, annotations)
            totals = [
                [
                    total + math.exp(log_weight) * each
                    for total, each in zip(row, probs, strict=True)
                ]
                for row, probs in zip(totals, found, strict=True)
            ]
        return totals

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        """In evaluation `tag_accuracy`, `pos_accuracy`, `lemma_accuracy` and `joint_accuracy`; none in training."""
        return {} if self.training else self._accuracy.get_metric(reset)

    def _networks(self) -> Iterator[InferenceNetwork]:
        for component in self.components.values():
            assert isinstance(component, InferenceNetwork)
            yield component

    def _scores_of(self, tokens: TextFieldTensors, sentences: List[Sentence]) -> List[Any]:
        return [component._scores_of(tokens, sentences) for component in self._networks()]

    def _decode(self, scores: List[Any], how: Literal["best", "sample"]) -> Iterator[Sentence]:
        """The best pair of each word; or a sentence drawn from one component, drawn by the weights."""
        if how == "best":
            for analyses in self._analyses(scores, 1):
                yield Sentence(tuple(best.token for (best,) in analyses))
            return
        drawn = [
            list(component._decode(each, how))
            for component, each in zip(self._networks(), scores, strict=True)
        ]
        weights = torch.tensor(self._log_weights).exp()
        choices = torch.multinomial(weights, len(drawn[0]), replacement=True).tolist()
        for choice, *sentences in zip(choices, *drawn, strict=True):
            yield sentences[choice]

    def _analyses(self, scores: List[Any], k: int) -> Iterator[List[List[TokenAnalysis]]]:
        found = [
            component._analyses(each, max(k, MIN_PAIRS))
            for component, each in zip(self._networks(), scores, strict=True)
        ]
        for of_components in zip(*found, strict=True):
            yield [self._mixed(analyses, k) for analyses in zip(*of_components, strict=True)]

    def _mixed(self, analyses: Sequence[List[TokenAnalysis]], k: int) -> List[TokenAnalysis]:
        """The k best pairs of a word from each component's."""
        totals: Dict[Token, float] = {}
        for log_weight, of_component in zip(self._log_weights, analyses, strict=True):
            for log_prob, token in of_component:
                totals[token] = log_add(totals.get(token, -math.inf), log_weight + log_prob)
        best = heapq.nlargest(k, totals.items(), key=lambda pair: pair[1])
        return [TokenAnalysis(log_prob, token) for token, log_prob in best]
