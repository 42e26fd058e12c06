"""What models have in common whose components are trained by themselves, by the trainer `components`."""

from typing import Dict, Iterable, List

from allennlp.data import Instance
from allennlp.models import Model


class Composed:
    def components(self) -> Dict[str, Model]:
        """What is trained by itself, under the names that the trainer has for it."""
        raise NotImplementedError

    def component_instances(self, name: str, instances: Iterable[Instance]) -> List[Instance]:
        """What a component learns from these instances of the whole or is measured on."""
        return list(instances)
