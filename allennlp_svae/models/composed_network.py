"""What inference networks that something helps have in common: they are components, each trained by itself."""

from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, TextFieldTensors, Vocabulary
from allennlp.data.batch import Batch
from allennlp.models import Model
from allennlp.nn import util

from allennlp_svae.data.sentence import Sentence, Triple
from allennlp_svae.dataset_readers.inflections import InflectionsReader
from allennlp_svae.dataset_readers.treebank_reader import weight_of, weighted_by_count
from allennlp_svae.models.composed import Composed
from allennlp_svae.models.inference_network import InferenceNetwork
from allennlp_svae.models.inflection_model import InflectionModel
from allennlp_svae.modules.remembered import Remembered

TAGGER = "tagger"


class ComposedNetwork(InferenceNetwork, Composed):
    """
    A `tagger`, which is any inference network, and perhaps a transducer, which is any `InflectionModel` and called as
    `transducer_name` says.

    # Parameters

    vocab : `Vocabulary`
    tagger : `Model`

    # Raises

    `ConfigurationError` where a component is another.
    """

    transducer_name: Optional[str] = None
    tagger: InferenceNetwork

    def __init__(self, vocab: Vocabulary, tagger: Model, **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        if not isinstance(tagger, InferenceNetwork):
            raise ConfigurationError("`tagger` must be a tagger-lemmatizer.")
        self.tagger = tagger
        self._reader = InflectionsReader()
        # What the transducer says.
        self._remembered: Remembered[Any, Any] = Remembered()

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
            As for the tagger.

        # Returns

        In training `loss`, the sum of the components' losses, where anything is tagged; in evaluation `tags` and
        `lemmas`, the best ones as strings.
        """
        assert metadata is not None
        if not self.training:
            found = list(self._decode(self._scores_of(tokens, metadata), "best"))
            return self._evaluated(found, metadata, morphology is not None)
        output = self.tagger(tokens=tokens, morphology=morphology, weight=weight, metadata=metadata)
        if morphology is None:
            return {}
        if self.transducer_name is None:
            return {"loss": output["loss"]}
        weights = [1.0] * len(metadata) if weight is None else weight.tolist()
        words = self._words(zip(metadata, weights, strict=True))
        if not words:
            return {"loss": output["loss"]}
        batch = Batch(words)
        batch.index_instances(self.vocab)
        tensors = util.move_to_device(batch.as_tensor_dict(), output["loss"].device)
        transducer = getattr(self, self.transducer_name)
        return {"loss": output["loss"] + transducer(**tensors)["loss"]}

    def remember(self, at_most: int) -> None:
        self.tagger.remember(at_most)
        self._remembered.at_most = at_most

    def _transducer(self, model: Model) -> InflectionModel:
        """What is given as the transducer, if it can be one."""
        if not isinstance(model, InflectionModel):
            raise ConfigurationError(f"`{self.transducer_name}` must be an inflector.")
        return model

    def components(self) -> Dict[str, Model]:
        """By the names of attributes; those of a composed tagger are `tagger.…`."""
        found = {TAGGER: self.tagger}
        if isinstance(self.tagger, ComposedNetwork):
            of_tagger = self.tagger.components()
            found = {f"{TAGGER}.{name}": component for name, component in of_tagger.items()}
        if self.transducer_name is not None:
            found[self.transducer_name] = getattr(self, self.transducer_name)
        return found

    def component_instances(self, name: str, instances: Iterable[Instance]) -> List[Instance]:
        """Of sentences, those that it tags or the inflections in them."""
        if name == self.transducer_name:
            return self._words(
                (instance["metadata"].metadata, weight_of(instance)) for instance in instances
            )
        _, is_composed, of_tagger = name.partition(".")
        if is_composed:
            assert isinstance(self.tagger, ComposedNetwork)
            return self.tagger.component_instances(of_tagger, instances)
        return list(instances)

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        """In evaluation `tag_accuracy`, `pos_accuracy`, `lemma_accuracy` and `joint_accuracy`; none in training."""
        return {} if self.training else self._accuracy.get_metric(reset)

    def _triples(self, sentence: Sentence) -> Iterator[Triple]:
        """What the transducer learns from the words that have a lemma and a tag, as inflections."""
        raise NotImplementedError

    def _words(self, weighted: Iterable[Tuple[Sentence, float]]) -> List[Instance]:
        """
        Each distinct triple of sentences of the same weight once. It weighs as such a sentence, times the square root
        of its count, which has mean one.
        """
        triples = (
            (triple, weight) for sentence, weight in weighted for triple in self._triples(sentence)
        )
        return [
            self._reader.text_to_instance(triple.lemma, triple.tag, triple.form, weight * root)
            for (triple, weight), root in weighted_by_count(triples, 0.5)
        ]
