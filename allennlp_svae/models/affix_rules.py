"""
The paper's FST baseline (section 7.4) as a Model: same reader, metrics and predictor as the
inflector, and the same `allennlp train`.
"""

import math
from typing import Any, Dict, List, Optional, Sequence

import torch
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model

from allennlp_svae.data.affix_rules import AffixRules
from allennlp_svae.data.sentence import Triple
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.inflections import strings_of
from allennlp_svae.models.inflection_model import Answer, InflectionModel, Strings
from allennlp_svae.modules.candidates import Candidates
from allennlp_svae.modules.json_state import json_from_tensor, json_to_tensor


@Model.register("affix_rules")
class AffixRulesModel(InflectionModel):
    """
    A deterministic inflector: p(f | ℓ, m) puts all its mass on one form.

    What it learns are the distinct inflections themselves, gathered in the training passes, each once
    however it weighs; the rules are read off them when next asked for. Gathering twice changes nothing,
    so any trainer, with any number of epochs, will do. The only parameter is there because AllenNLP's trainers and
    predictors want one; the loss is zero and so is its gradient.

    # Parameters

    vocab : `Vocabulary`
    """

    def __init__(self, vocab: Vocabulary, **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        self._anchor = torch.nn.Parameter(torch.zeros(()))
        # A dictionary for its order: what an archive holds does not hang on the order of a set.
        self._triples: Dict[Triple, None] = {}
        self._rules: Optional[AffixRules] = None

    def answer(
        self,
        lemma: TextFieldTensors,
        tag: TextFieldTensors,
        form: Optional[TextFieldTensors],
        strings: Sequence[Strings],
    ) -> Answer:
        """The losses are zero. In training the inflections are gathered."""
        if self.training:
            for inflection in strings:
                self._learn(inflection)
        return Answer(
            losses=0.0 * self._anchor.expand(len(strings)),
            search=lambda: [[(self._inflect(one), 0.0)] for one in strings],
        )

    def inflect(self, instances: Sequence[Instance], n_best: int = 1) -> List[Candidates]:
        """The one form there is, with log-probability zero, however many are asked for."""
        return [[(self._inflect(strings_of(instance)), 0.0)] for instance in instances]

    def sample(self, instances: Sequence[Instance], temperature: float = 1.0) -> List[str]:
        """The one form there is, at any temperature."""
        return [self._inflect(strings_of(instance)) for instance in instances]

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        """0 for the one form there is, -inf for any other."""
        return [
            0.0 if self._inflect(strings) == strings["form"] else -math.inf
            for strings in map(strings_of, instances)
        ]

    def forget(self) -> None:
        self._triples = {}
        self._rules = None

    def _learn(self, inflection: Dict[str, Any]) -> None:
        form, lemma = inflection["form"], inflection["lemma"]
        if form is not None:
            self._triples[Triple(form, lemma, MorphTag.parse(inflection["tag"]))] = None
            self._rules = None

    def _inflect(self, inflection: Dict[str, Any]) -> str:
        if self._rules is None:
            self._rules = AffixRules(self._triples)
        return self._rules.inflect(inflection["lemma"], MorphTag.parse(inflection["tag"]))

    def get_extra_state(self) -> torch.Tensor:
        return json_to_tensor([[form, lemma, str(tag)] for form, lemma, tag in self._triples])

    def set_extra_state(self, state: torch.Tensor) -> None:
        self._triples = {
            Triple(form, lemma, MorphTag.parse(tag)): None
            for form, lemma, tag in json_from_tensor(state)
        }
        self._rules = None
