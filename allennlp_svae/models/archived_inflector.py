"""An inflector out of a finished archive, with the vocabulary and the reader that it was trained with."""

from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import torch
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import Batch, DatasetReader, Instance, TextFieldTensors, Vocabulary
from allennlp.models import Model
from allennlp.models.model import remove_weights_related_keys_from_params
from allennlp.nn import util

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.inflections import strings_of
from allennlp_svae.models.inflection_model import Answer, InflectionModel, Strings
from allennlp_svae.modules.candidates import Candidates
from allennlp_svae.modules.json_state import json_from_tensor, json_to_tensor


class Blueprint(NamedTuple):
    """All that an inflector is made of but its weights, as JSON has it."""

    model: Dict[str, Any]  # the `model` block
    reader: Dict[str, Any]  # the `dataset_reader` block
    vocabulary: Dict[str, Any]

    @classmethod
    def of(cls, model: Params, reader: Params, vocab: Vocabulary) -> "Blueprint":
        # As AllenNLP does for an archive: the weights are there, and the files they came from may not be.
        model = model.duplicate()
        remove_weights_related_keys_from_params(model)
        vocabulary = {
            "padding_token": vocab._padding_token,
            "oov_token": vocab._oov_token,
            "non_padded_namespaces": sorted(vocab._non_padded_namespaces),
            "tokens": {name: _tokens(vocab, name) for name in sorted(vocab.get_namespaces())},
        }
        return cls(model.as_dict(quiet=True), reader.as_dict(quiet=True), vocabulary)

    def make_reader(self) -> DatasetReader:
        return DatasetReader.from_params(Params(self.reader).duplicate())

    def make_model(self) -> Model:
        """With weights that are yet to be loaded."""
        options = dict(self.vocabulary)
        tokens = options.pop("tokens")
        vocab = Vocabulary(**options)
        for name, each in tokens.items():
            vocab.add_tokens_to_namespace(each, name)
        return Model.from_params(Params(self.model).duplicate(), vocab=vocab)


@Model.register("archived_inflector")
class ArchivedInflector(InflectionModel):
    """
    Empty until it is filled, by `fill` or by loading a state. Its blueprint is part of its state, so that an
    archive with such a model in it needs no other archive. Lemmas, tags and forms are indexed anew, from their
    strings, since the ids of another vocabulary mean nothing to it.

    # Parameters

    vocab : `Vocabulary`
        That of the model which this is a component of; not used.
    """

    def __init__(self, vocab: Vocabulary, **kwargs: Any) -> None:
        super().__init__(vocab, **kwargs)
        self._blueprint: Optional[Blueprint] = None
        # A model is put on its device before its state is loaded: what is filled in then goes where this is.
        self.register_buffer("_place", torch.zeros(()), persistent=False)

    def fill(self, inflector: Model, blueprint: Blueprint) -> None:
        """
        # Parameters

        inflector : `Model`
            An `InflectionModel`, which the blueprint describes.
        blueprint : `Blueprint`
        """
        self._blueprint = blueprint
        self._reader = blueprint.make_reader()
        self.archived = inflector.to(self._place.device).train(self.training)

    def answer(
        self,
        lemma: TextFieldTensors,
        tag: TextFieldTensors,
        form: Optional[TextFieldTensors],
        strings: Sequence[Strings],
    ) -> Answer:
        """That of the archived inflector to the strings; `lemma`, `tag` and `form` are not looked at."""
        inflector = self._inflector()
        known = () if form is None else ("form",)
        batch = Batch([self._instance(one, *known) for one in strings])
        batch.index_instances(inflector.vocab)
        tensors = util.move_to_device(batch.as_tensor_dict(), inflector._get_prediction_device())
        return inflector.answer(
            tensors["lemma"], tensors["tag"], tensors.get("form"), tensors["metadata"]
        )

    @property
    def beam_size(self) -> Optional[int]:
        return self._inflector().beam_size

    @beam_size.setter
    def beam_size(self, width: int) -> None:
        self._inflector().beam_size = width

    @property
    def metric_beam_size(self) -> int:
        return self._inflector().metric_beam_size

    @metric_beam_size.setter
    def metric_beam_size(self, width: int) -> None:
        self._inflector().metric_beam_size = width

    def inflect(self, instances: Sequence[Instance], n_best: int = 1) -> List[Candidates]:
        return self._inflector().inflect(self._own(instances), n_best)

    def sample(self, instances: Sequence[Instance], temperature: float = 1.0) -> List[str]:
        return self._inflector().sample(self._own(instances), temperature)

    def log_prob(self, instances: Sequence[Instance]) -> List[float]:
        return self._inflector().log_prob(self._own(instances, "form"))

    def get_extra_state(self) -> torch.Tensor:
        self._inflector()
        return json_to_tensor(self._blueprint)

    def set_extra_state(self, state: torch.Tensor) -> None:
        """The archived inflector is there when this returns, so that its own state can be loaded next."""
        blueprint = Blueprint(*json_from_tensor(state))
        if blueprint != self._blueprint:
            self.fill(blueprint.make_model(), blueprint)

    def _inflector(self) -> InflectionModel:
        if self._blueprint is None:
            raise ConfigurationError(
                "An archived_inflector is empty. Remedy: name its archive in `initializer` of the "
                "inflection_mixture that it is a component of."
            )
        assert isinstance(self.archived, InflectionModel)
        return self.archived

    def _own(self, instances: Sequence[Instance], *known: str) -> List[Instance]:
        return [self._instance(strings_of(instance), *known) for instance in instances]

    def _instance(self, strings: Dict[str, Any], *known: str) -> Instance:
        options = {name: strings[name] for name in known}
        tag = MorphTag.parse(strings["tag"])
        return self._reader.text_to_instance(strings["lemma"], tag, **options)


def _tokens(vocab: Vocabulary, namespace: str) -> List[str]:
    return [token for _, token in sorted(vocab.get_index_to_token_vocabulary(namespace).items())]
