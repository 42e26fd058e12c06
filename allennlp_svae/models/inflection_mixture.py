"""
A mixture of inflectors: p(f | ℓ, m) = Σ_k w_k p_k(f | ℓ, m).

Networks that differ in their random start make an ensemble; a network and the `affix_rules` make a hybrid, in
which the rules decide where the network is in doubt. Either way it is a distribution, so wake-sleep can sample
from it and score with it.
"""

from typing import Any, Dict, List, Optional, Sequence, Tuple, cast

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model

from allennlp_svae.dataset_readers.inflections import with_form
from allennlp_svae.models.inflection_model import InflectionModel
from allennlp_svae.training.inflection_metrics import InflectionMetric


@Model.register("inflection_mixture")
class InflectionMixture(InflectionModel):
    """
    Trains all components at once, each on its own likelihood.

    # Parameters

    vocab : `Vocabulary`
    components : `List[Model]`
        Any `InflectionModel`s.
    weights : `List[float]`, optional (default = all the same)
        w; scaled to sum to one.
    """

    default_predictor = "inflect"

    def __init__(
        self,
        vocab: Vocabulary,
        components: List[Model],
        weights: Optional[List[float]] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        if not components or not all(isinstance(one, InflectionModel) for one in components):
            raise ConfigurationError("`components` of inflection_mixture must be inflectors.")
        weights = weights or [1.0] * len(components)
        if len(weights) != len(components) or min(weights) <= 0.0:
            raise ConfigurationError(
                "`weights` of inflection_mixture must be positive, one for each of `components`."
            )
        self.components = torch.nn.ModuleList(components)
        self._weights = torch.tensor(weights) / sum(weights)
        self._metric = InflectionMetric(vocab)

    def forward(
        self,
        lemma: TextFieldTensors,
        tag: TextFieldTensors,
        form: Optional[TextFieldTensors] = None,
        weight: Optional[torch.Tensor] = None,
        metadata: Optional[List[Dict[str, Any]]] = None,
    ) -> Dict[str, Any]:
        """
        # Parameters

        lemma, tag, form, weight, metadata
            As for the components.

        # Returns

        `Dict[str, Any]`
            `loss`, the sum of the components' losses, if there are forms. When not training, `forms` and their
            `log_probs`: of the components' own best forms the likeliest, where a component counts for its own
            form only. `inflect` and `log_prob` let each component count for every form.
        """
        outputs = [
            component(lemma=lemma, tag=tag, form=form, weight=weight, metadata=metadata)
            for component in self.components
        ]
        output: Dict[str, Any] = {}
        if form is not None:
            output["loss"] = torch.stack([one["loss"] for one in outputs]).sum()
        if not self.training:
            votes: List[Dict[str, float]] = [{} for _ in outputs[0]["forms"]]
            for share, one in zip(self._weights.tolist(), outputs, strict=True):
                probs = (share * one["log_probs"].exp()).tolist()
                for candidates, text, prob in zip(votes, one["forms"], probs, strict=True):
                    candidates[text] = candidates.get(text, 0.0) + prob
            best = [max(candidates.items(), key=lambda item: item[1]) for candidates in votes]
            output["forms"] = [text for text, _ in best]
            output["log_probs"] = torch.tensor([prob for _, prob in best]).log()
            if metadata is not None:
                self._metric(output["forms"], metadata)
        return output

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        """Those of `InflectionMetric`; none when training, which does not decode."""
        return self._metric.get_metric(reset)

    @property
    def beam_size(self) -> Optional[int]:
        """The widest of the components'; setting it sets those of all that search."""
        return max(filter(None, (one.beam_size for one in self._inflectors())), default=None)

    @beam_size.setter
    def beam_size(self, width: int) -> None:
        for component in self._inflectors():
            if component.beam_size is not None:
                component.beam_size = width

    def inflect(
        self, instances: Sequence[Instance], n_best: int = 1
    ) -> List[List[Tuple[str, float]]]:
        """
        Of all forms that any component proposes, as many as its beam is wide, the likeliest under the mixture.
        """
        proposed: List[Dict[str, None]] = [{} for _ in instances]
        for component in self._inflectors():
            found = component.inflect(instances, max(n_best, component.beam_size or 1))
            for forms, candidates in zip(proposed, found, strict=True):
                forms.update(dict.fromkeys(form for form, _ in candidates))
        scores = iter(
            self.log_prob(
                [
                    with_form(instance, form)
                    for instance, forms in zip(instances, proposed, strict=True)
                    for form in forms
                ]
            )
        )
        scored = [[(form, next(scores)) for form in forms] for forms in proposed]
        return [sorted(one, key=lambda pair: -pair[1])[:n_best] for one in scored]

    def sample(self, instances: Sequence[Instance], temperature: float = 1.0) -> List[str]:
        """From a component drawn by its weight, at that component's `temperature`."""
        drawn = torch.multinomial(self._weights, len(instances), replacement=True).tolist()
        samples = [""] * len(instances)
        for index, component in enumerate(self._inflectors()):
            members = [position for position, choice in enumerate(drawn) if choice == index]
            forms = component.sample([instances[member] for member in members], temperature)
            for member, form in zip(members, forms, strict=True):
                samples[member] = form
        return samples

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        """-inf where no component can write the form."""
        scores = torch.tensor([component.log_prob(instances) for component in self._inflectors()])
        return torch.logsumexp(scores + self._weights.log().unsqueeze(1), dim=0).tolist()

    def _inflectors(self) -> List[InflectionModel]:
        return cast(List[InflectionModel], list(self.components))
