"""The domain's nouns: token ⟨f, ℓ, m⟩, sentence, and inflection triple."""

from dataclasses import dataclass
from typing import Iterable, Iterator, List, NamedTuple, Optional, Tuple

from allennlp_svae.data.tag import MorphTag


class Token(NamedTuple):
    """A syntactic word ⟨f, ℓ, m⟩. Raw text has neither lemma nor tag."""

    form: str
    lemma: Optional[str] = None
    tag: Optional[MorphTag] = None


@dataclass(frozen=True)
class Sentence:
    """A sentence: its syntactic words, multiword ranges and empty nodes left out."""

    tokens: Tuple[Token, ...]

    @property
    def forms(self) -> List[str]:
        return [token.form for token in self.tokens]

    def without_annotation(self) -> "Sentence":
        return Sentence(tuple(Token(token.form) for token in self.tokens))

    def __len__(self) -> int:
        return len(self.tokens)


class Triple(NamedTuple):
    """
    An inflection ⟨f, ℓ, m⟩ as a type: what the inflector learns from and is evaluated on (paper,
    section 7.2).
    """

    form: str
    lemma: str
    tag: MorphTag


def triples_of(sentences: Iterable[Sentence]) -> Iterator[Triple]:
    """The tokens that have a lemma and a tag, as triples."""
    for sentence in sentences:
        for token in sentence.tokens:
            if token.lemma and token.tag is not None:
                yield Triple(token.form, token.lemma, token.tag)
