"""
A mixture of inflectors: p(f | ℓ, m) = Σ_k w_k p_k(f | ℓ, m).

Networks that differ in their random start make an ensemble; a network and the `affix_rules` make a hybrid, in
which the rules decide where the network is in doubt. Either way it is a distribution, so wake-sleep can sample
from it and score with it. Its components are trained in one run or come out of finished archives.
"""

import math
from typing import Any, Dict, List, Optional, Sequence, cast

import torch
from allennlp.common import Registrable
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model

from allennlp_svae.dataset_readers.inflections import with_form
from allennlp_svae.models.inflection_model import Answer, InflectionModel, Strings
from allennlp_svae.modules.candidates import Candidates, log_add
from allennlp_svae.training.inflection_metrics import TOP


class ComponentInitializer(Registrable):
    """
    Fills what components are empty, when the model is made for training. AllenNLP drops a block called `initializer`
    when an archive is loaded, in which they are full.
    """

    default_implementation = "inflector_archives"

    def __call__(self, components: Sequence[Model]) -> None:
        raise NotImplementedError


@Model.register("inflection_mixture")
class InflectionMixture(InflectionModel):
    """
    Trains all components at once, each on its own likelihood.

    # Parameters

    vocab : `Vocabulary`
    components : `List[Model]`
        Any `InflectionModel`s.
    weights : `List[float]`, optional (default = all the same, until they are fitted)
        w; scaled to sum to one.
    initializer : `ComponentInitializer`, optional (default = `None`)
        Fills the components that are `archived_inflector`s.
    """

    def __init__(
        self,
        vocab: Vocabulary,
        components: List[Model],
        weights: Optional[List[float]] = None,
        initializer: Optional[ComponentInitializer] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        if not components or not all(isinstance(one, InflectionModel) for one in components):
            raise ConfigurationError("`components` of inflection_mixture must be inflectors.")
        if weights is not None and (len(weights) != len(components) or min(weights) <= 0.0):
            raise ConfigurationError(
                "`weights` of inflection_mixture must be positive, one for each of `components`."
            )
        self.components = torch.nn.ModuleList(components)
        self._given = weights is not None
        share = torch.tensor(weights or [1.0] * len(components))
        # Weights that are given follow from the configuration; others are learned, and belong in a checkpoint.
        self.register_buffer("_weights", share / share.sum(), persistent=not self._given)
        if initializer is not None:
            initializer(components)

    @property
    def weights(self) -> List[float]:
        """
        w, one for each component. Can be set, if they were not given; those set may be zero.

        # Raises

        `ConfigurationError` where they were given.
        """
        return self._weights.tolist()

    @weights.setter
    def weights(self, weights: List[float]) -> None:
        if self._given:
            raise ConfigurationError(
                "The weights of this inflection_mixture are given, so they cannot be fitted. Remedy: leave out "
                "`weights` of the model, or `fit_weights` of the trainer."
            )
        self._weights.copy_(torch.tensor(weights))

    def answer(
        self,
        lemma: TextFieldTensors,
        tag: TextFieldTensors,
        form: Optional[TextFieldTensors],
        strings: Sequence[Strings],
    ) -> Answer:
        """
        The losses are the sums of the components'. Each component counts for what it found itself; `inflect` and
        `log_prob` let each count for every form.
        """
        answers = [one.answer(lemma, tag, form, strings) for one in self._inflectors()]
        losses = [one.losses for one in answers if one.losses is not None]
        return Answer(
            losses=torch.stack(losses).sum(dim=0) if losses else None,
            search=lambda: self._votes([one.search() for one in answers]),
        )

    def _votes(self, found: Sequence[Sequence[Candidates]]) -> List[Candidates]:
        """Of what each component found the best."""
        votes: List[Dict[str, float]] = [{} for _ in found[0]]
        for share, of_component in zip(self.weights, found, strict=True):
            for scores, candidates in zip(votes, of_component, strict=True):
                for text, log_prob in candidates:
                    vote = log_prob + (math.log(share) if share else -math.inf)
                    scores[text] = log_add(vote, scores.get(text, -math.inf))
        ranked = self._ranked([list(scores.items()) for scores in votes])
        return [candidates[:TOP] for candidates in ranked]

    @property
    def beam_size(self) -> Optional[int]:
        """The widest of the components'; setting it sets those of all that search."""
        return max(filter(None, (one.beam_size for one in self._inflectors())), default=None)

    @beam_size.setter
    def beam_size(self, width: int) -> None:
        for component in self._inflectors():
            if component.beam_size is not None:
                component.beam_size = width

    @property
    def metric_beam_size(self) -> int:
        """As `beam_size`."""
        return max(one.metric_beam_size for one in self._inflectors())

    @metric_beam_size.setter
    def metric_beam_size(self, width: int) -> None:
        for component in self._inflectors():
            if component.beam_size is not None:
                component.metric_beam_size = width

    def inflect(self, instances: Sequence[Instance], n_best: int = 1) -> List[Candidates]:
        """
        Of all forms that any component proposes, as many as its beam is wide, the best by `ranker` and their
        log-probabilities under the mixture.
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
        return [candidates[:n_best] for candidates in self._ranked(scored)]

    def sample(self, instances: Sequence[Instance], temperature: float = 1.0) -> List[str]:
        """From a component drawn by its weight, at that component's `temperature`."""
        if not instances:
            return []
        drawn = torch.multinomial(self._weights.cpu(), len(instances), replacement=True).tolist()
        samples = [""] * len(instances)
        for index, component in enumerate(self._inflectors()):
            members = [position for position, choice in enumerate(drawn) if choice == index]
            forms = component.sample([instances[member] for member in members], temperature)
            for member, form in zip(members, forms, strict=True):
                samples[member] = form
        return samples

    def forget(self) -> None:
        for component in self._inflectors():
            component.forget()

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        """-inf where no component can write the form."""
        scores = self.component_log_probs(instances) + self._weights.log().cpu().unsqueeze(1)
        return torch.logsumexp(scores, dim=0).tolist()

    def component_log_probs(self, instances: Sequence[Instance]) -> torch.Tensor:
        """log p_k(f | ℓ, m) in nats; shape `(num_components, num_instances)`."""
        return torch.tensor([component.log_prob(instances) for component in self._inflectors()])

    def _inflectors(self) -> List[InflectionModel]:
        return cast(List[InflectionModel], list(self.components))
