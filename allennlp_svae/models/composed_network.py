"""What inference networks share that are made of components, each trained by a trainer of its own."""

import heapq
from typing import Any, Dict, Iterable, List, Sequence, Tuple

import torch
from allennlp.data import Instance, Vocabulary
from allennlp.models import Model

from allennlp_svae.data.sentence import Sentence
from allennlp_svae.models.inference_network import InferenceNetwork, with_annotations

# How many pairs each component names for a word at least; another counts as impossible for it.
MIN_PAIRS = 8


class ComposedNetwork(InferenceNetwork):
    """
    Annotates word by word: with the pair of lemma and tag that is most probable, whatever the other words' are.

    # Parameters

    vocab : `Vocabulary`
        With all that the components need.
    components : `Dict[str, Model]`
        By name; see `ComponentTrainer`.
    """

    def __init__(self, vocab: Vocabulary, components: Dict[str, Model], **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        # Not a list: AllenNLP leaves initializers out of what it loads, but does not look for them in lists.
        self.components = torch.nn.ModuleDict(components)

    def component_instances(self, name: str, instances: Iterable[Instance]) -> List[Instance]:
        """What a component learns from these sentences or is measured on."""
        return list(instances)

    def k_best(self, instances: Sequence[Instance], k: int) -> List[List[Tuple[Sentence, float]]]:
        """
        For each sentence its up to `k` best distinct annotations with log q, best first, among those that
        `_proposals` names: there may be better ones. Not what `annotate` says, which chooses word by word.
        """
        found = self._proposals(instances, k)
        asked = [
            instance
            for instance, proposed in zip(instances, found, strict=True)
            for instance in with_annotations([instance] * len(proposed), list(proposed))
        ]
        log_probs = iter(self.log_prob(asked))
        return [
            heapq.nlargest(
                k,
                ((annotation, next(log_probs)) for annotation in proposed),
                key=lambda pair: pair[1],
            )
            for proposed in found
        ]

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        """In evaluation `tag_accuracy`, `pos_accuracy`, `lemma_accuracy` and `joint_accuracy`; none in training."""
        return {} if self.training else self._accuracy.get_metric(reset)

    def _proposals(self, instances: Sequence[Instance], k: int) -> List[Dict[Sentence, None]]:
        """For each sentence distinct annotations that may be among its k best."""
        raise NotImplementedError

    def _best(self, scores: Any) -> Iterable[Sentence]:
        for analyses in self._analyses(scores, 1):
            yield Sentence(tuple(best.token for (best,) in analyses))
