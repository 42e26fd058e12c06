"""The lexicon that a vocabulary keeps, so that an archive needs no other file."""

from collections import defaultdict
from typing import Dict, FrozenSet, List, Sequence, Tuple

from allennlp.data import Vocabulary

from allennlp_svae.data.sentence import Triple
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.data.word_features import fold, one_line

LEXICON = "lexicon"
_SEPARATOR = "\t"


def entry_token(entry: Triple) -> str:
    """An entry as the vocabulary keeps it."""
    return _SEPARATOR.join((one_line(entry.form), one_line(entry.lemma), str(entry.tag)))


class Lexicon:
    """
    Looks forms up as they are written and, where that is not listed, case folded.

    # Parameters

    vocab : `Vocabulary`
        With the entries under `lexicon`, or with none.

    # Attributes

    tags : `FrozenSet[MorphTag]`
        All that are listed.
    """

    def __init__(self, vocab: Vocabulary) -> None:
        self._entries: Dict[str, List[Tuple[str, MorphTag]]] = defaultdict(list)
        for token in vocab.get_token_to_index_vocabulary(LEXICON):
            if token not in (vocab._padding_token, vocab._oov_token):
                form, lemma, tag = token.split(_SEPARATOR)
                self._entries[form].append((lemma, MorphTag.parse(tag)))
        self.tags: FrozenSet[MorphTag] = frozenset(
            tag for entries in self._entries.values() for _, tag in entries
        )

    def __len__(self) -> int:
        """How many forms are listed."""
        return len(self._entries)

    def lemmas(self, form: str) -> List[str]:
        """Distinct, in the lexicon's order."""
        return list(dict.fromkeys(lemma for lemma, _ in self._of(form)))

    def tags_of(self, form: str) -> List[MorphTag]:
        """Distinct, in the lexicon's order."""
        return list(dict.fromkeys(tag for _, tag in self._of(form)))

    def _of(self, form: str) -> Sequence[Tuple[str, MorphTag]]:
        for known in (form, fold(form)):
            if known in self._entries:
                return self._entries[known]
        return ()
