"""
A mixture of inference networks: q(ℓ, m | f) = Σ_k w_k q_k(ℓ, m | f).

Networks of different families err in different places. Since it is a distribution, wake-sleep can sample from it and
score with it as with any of them.
"""

import math
from typing import Any, Dict, Iterable, Iterator, List, Literal, Optional, Sequence

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model

from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.models.composed_network import MIN_PAIRS, ComposedNetwork
from allennlp_svae.models.inference_network import InferenceNetwork, TokenAnalysis, best_of
from allennlp_svae.modules.candidates import log_add


@Model.register("tagger_lemmatizer_mixture")
class TaggerLemmatizerMixture(ComposedNetwork):
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
        super().__init__(vocab, components, **kwargs)
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

    def _networks(self) -> Iterator[InferenceNetwork]:
        for component in self.components.values():
            assert isinstance(component, InferenceNetwork)
            yield component

    def _proposals(self, instances: Sequence[Instance], k: int) -> List[Dict[Sentence, None]]:
        """The k best of every component."""
        found: List[Dict[Sentence, None]] = [{} for _ in instances]
        for component in self._networks():
            for proposed, paths in zip(found, component.k_best(instances, k), strict=True):
                proposed.update((annotation, None) for annotation, _ in paths)
        return found

    def _scores_of(self, tokens: TextFieldTensors, sentences: List[Sentence]) -> List[Any]:
        return [component._scores_of(tokens, sentences) for component in self._networks()]

    def _decode(self, scores: List[Any], how: Literal["best", "sample"]) -> Iterator[Sentence]:
        """The best pair of each word; or a sentence drawn from one component, drawn by the weights."""
        if how == "best":
            yield from self._best(scores)
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
        named = max(k, MIN_PAIRS)
        return self._mixed(
            (
                component._analyses(each, named)
                for component, each in zip(self._networks(), scores, strict=True)
            ),
            k,
        )

    def _best_tags(self, scores: List[Any], k: int) -> Iterator[List[List[TokenAnalysis]]]:
        named = max(k, MIN_PAIRS)
        return self._mixed(
            (
                component._best_tags(each, named)
                for component, each in zip(self._networks(), scores, strict=True)
            ),
            k,
        )

    def _mixed(
        self, of_components: Iterable[Iterable[List[List[TokenAnalysis]]]], k: int
    ) -> Iterator[List[List[TokenAnalysis]]]:
        """The k best of each word, from what each component named."""
        for of_sentence in zip(*of_components, strict=True):
            yield [self._best_of_word(of_word, k) for of_word in zip(*of_sentence, strict=True)]

    def _best_of_word(self, named: Sequence[List[TokenAnalysis]], k: int) -> List[TokenAnalysis]:
        totals: Dict[Token, float] = {}
        for log_weight, of_component in zip(self._log_weights, named, strict=True):
            for log_prob, token in of_component:
                totals[token] = log_add(totals.get(token, -math.inf), log_weight + log_prob)
        return best_of(totals, k)
