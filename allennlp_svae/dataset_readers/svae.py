"""The reader of the composite: the readers of its four parts under one name."""

from typing import Any, Dict, Iterable, Optional

from allennlp.common import Lazy
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader, Instance

from allennlp_svae.dataset_readers.treebank_reader import TreebankReader


@DatasetReader.register("svae")
class SvaeReader(TreebankReader):
    """
    Reads a treebank as the part named `part` wants it.

    # Parameters

    parts : `Dict[str, Lazy[DatasetReader]]`
        The readers of `tag_lm`, `lemma_lm`, `inflector` and `tagger_lemmatizer`; each is given this
        reader's `tagset`, `labeled_tokens` and `held_out`.
    part : `str`, optional (default = `"inflector"`)
        Whose instances `read` yields. `allennlp evaluate` measures another part with
        `-o '{"dataset_reader.part": "tagger_lemmatizer"}'`.
    tagset, labeled_tokens, held_out
        See `TreebankReader`.
    """

    def __init__(
        self,
        parts: Dict[str, Lazy[DatasetReader]],
        part: str = "inflector",
        tagset: str = "paper",
        labeled_tokens: Optional[int] = None,
        held_out: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(tagset, labeled_tokens, held_out, **kwargs)
        if part not in parts:
            raise ConfigurationError(f"`part` is {part!r}; it can be one of {', '.join(parts)}.")
        self.part = part
        self.readers: Dict[str, DatasetReader] = {
            name: reader.construct(
                tagset=tagset, labeled_tokens=labeled_tokens, held_out=held_out, **kwargs
            )
            for name, reader in parts.items()
        }

    def _read(self, file_path: str) -> Iterable[Instance]:
        return self.readers[self.part]._read(file_path)

    def text_to_instance(self, *inputs: Any, **named_inputs: Any) -> Instance:
        return self.readers[self.part].text_to_instance(*inputs, **named_inputs)

    def apply_token_indexers(self, instance: Instance) -> None:
        self.readers[self.part].apply_token_indexers(instance)
