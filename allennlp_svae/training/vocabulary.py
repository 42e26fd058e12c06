"""One vocabulary for all four parts, and for the characters of raw text."""

from collections import defaultdict
from typing import Dict, Iterable, List, Optional

from allennlp.data import DatasetReader, Instance, Vocabulary

from allennlp_svae.dataset_readers.svae import SvaeReader


@Vocabulary.register("treebank", constructor="from_treebank")
class TreebankVocabulary(Vocabulary):
    """
    AllenNLP's `Vocabulary` with a constructor that lets every part's reader count the labelled data and
    adds the characters of the unlabelled forms.
    """

    @classmethod
    def from_treebank(
        cls,
        instances: Iterable[Instance],
        reader: DatasetReader,
        labeled: str,
        unlabeled: Optional[List[str]] = None,
        characters_namespace: str = "characters",
        min_count: Optional[Dict[str, int]] = None,
    ) -> "TreebankVocabulary":
        """
        # Parameters

        instances : `Iterable[Instance]`
            What AllenNLP read for the trainer; not used, since the part's reader counts it again.
        reader : `DatasetReader`
            An `SvaeReader`.
        labeled : `str`
            The data path of the labelled portion.
        unlabeled : `List[str]`, optional (default = `None`)
            Data paths of which only the forms are read, for their characters.
        characters_namespace : `str`, optional (default = `"characters"`)
        min_count : `Dict[str, int]`, optional (default = `None`)
            As in `Vocabulary`.
        """
        assert isinstance(reader, SvaeReader)
        counter: Dict[str, Dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for part in reader.readers.values():
            for instance in part.read(labeled):
                instance.count_vocab_items(counter)
        for path in unlabeled or []:
            for sentence in reader.sentences(path):
                for character in "".join(sentence.forms):
                    counter[characters_namespace][character] += 1
        return cls(counter=counter, min_count=min_count)
