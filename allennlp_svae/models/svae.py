"""
The structured variational autoencoder: four models, one archive (paper, sections 3 and 5).

    p(f, ℓ, m) = p(m) · Π p(ℓ_i | m_i) · p(f_i | ℓ_i, m_i)        (Eq. 1)
    q(ℓ, m | f)                                                   (section 5.5)

Once trained, p and q can analyze sentences together: see `TaggerWithInflector`.
"""

import inspect
from typing import Any, Callable, Dict, List, Literal, Optional, Sequence

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.data import Instance, Vocabulary
from allennlp.models import Model

from allennlp_svae.data.sentence import Sentence, Token
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.models.tagger_with_inflector import TaggerWithInflector
from allennlp_svae.modules.lemma_memory import LemmaMemory

PARTS = ("tag_lm", "lemma_lm", "inflector", "tagger_lemmatizer")

# How often a sentence is dreamed anew.
MAX_TRIALS = 50

InflectionInstance = Callable[[str, MorphTag], Instance]


@Model.register("svae")
class StructuredVAE(Model):
    """
    The composite. `forward` runs the part whose parameters the batch's fields are, so that one model
    serves the trainers and evaluations of all four.

    # Parameters

    vocab : `Vocabulary`
    tag_lm : `Model`
        p(m), a `tag_lm`.
    lemma_lm : `Model`
        p(ℓ | m), a `lemma_lm`.
    inflector : `Model`
        p(f | ℓ, m), an `InflectionModel`; the end product, which `allennlp train` trains and evaluates.
    tagger_lemmatizer : `Model`
        q(ℓ, m | f), an `InferenceNetwork`.
    lemma_memory : `LemmaMemory`, optional (default = `None`)
        The lemmas that are known, which p(ℓ | m) prefers to new ones of the `lemma_lm`. In the paper all are new.
    inflector_weight : `float`, optional (default = `None`)
        How much it counts, where q is in doubt how to analyze a word, how probable p(f | ℓ, m) makes it. Wake-sleep
        goes by q alone, and so does everything if this is `None`.
    """

    default_predictor = "inflect"

    def __init__(
        self,
        vocab: Vocabulary,
        tag_lm: Model,
        lemma_lm: Model,
        inflector: Model,
        tagger_lemmatizer: Model,
        lemma_memory: Optional[LemmaMemory] = None,
        inflector_weight: Optional[float] = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(vocab, **kwargs)
        self.tag_lm = tag_lm
        self.lemma_lm = lemma_lm
        self.inflector = inflector
        self.tagger_lemmatizer = tagger_lemmatizer
        self.lemma_memory = lemma_memory
        # It has nothing of its own but its calibration.
        self.analyzer = (
            None
            if inflector_weight is None
            else TaggerWithInflector(vocab, tagger_lemmatizer, inflector, inflector_weight)
        )
        self._running = "inflector"

    def forward(self, **inputs: Any) -> Dict[str, torch.Tensor]:
        self._running = self._part_for(inputs)
        return self._answering()(**inputs)

    def part(self, name: str) -> Model:
        """What answers for the part of this name: for q, with an `inflector_weight`, q and p together."""
        if name == "tagger_lemmatizer" and self.analyzer is not None:
            return self.analyzer
        return getattr(self, name)

    def _answering(self) -> Model:
        return getattr(self, self._running) if self.training else self.part(self._running)

    def _part_for(self, inputs: Dict[str, Any]) -> str:
        for name in PARTS:
            parameters = inspect.signature(getattr(self, name).forward).parameters
            required = {key for key, value in parameters.items() if value.default is value.empty}
            if required <= inputs.keys() <= parameters.keys():
                return name
        raise ConfigurationError(
            f"No part of the svae takes a batch of the fields {sorted(inputs)}. Remedy: read the data "
            "with the reader of one of its parts (`part` of the `svae` reader)."
        )

    def get_metrics(self, reset: bool = False) -> Dict[str, float]:
        """The metrics of the part that ran last."""
        return self._answering().get_metrics(reset)

    def make_output_human_readable(
        self, output_dict: Dict[str, torch.Tensor]
    ) -> Dict[str, torch.Tensor]:
        return self._answering().make_output_human_readable(output_dict)

    def dream(
        self,
        count: int,
        instance_of: InflectionInstance,
        temperature: float = 1.0,
        max_length: int = 100,
    ) -> List[Sentence]:
        """
        Samples ⟨f, ℓ, m⟩ ~ p by forward sampling (section 5.2), with torch's global generator.

        # Parameters

        count : `int`
            How many sentences; those with an empty word are left out.
        instance_of : `Callable[[str, MorphTag], Instance]`
            Makes the inflector's instance of a lemma and a tag: the `inflections` reader's `text_to_instance`.
        temperature : `float`, optional (default = `1.0`)
            Cools the lemma LM, as in Appendix A; tags, known lemmas and forms are sampled as they are.
        max_length : `int`, optional (default = `100`)
            A sentence of more words is dreamed anew; one that will not end, ends there.
        """
        tags = self._tags(count, max_length)
        flat = [tag for sentence in tags for tag in sentence]
        pairs = list(zip(self._lemmas(flat, temperature), flat, strict=True))
        # A pair dreamed twice is sampled twice: each token draws its own form.
        forms = self.inflector.sample([instance_of(lemma, tag) for lemma, tag in pairs])
        tokens = iter(Token(form, *pair) for form, pair in zip(forms, pairs, strict=True))
        sentences = [Sentence(tuple(next(tokens) for _ in sentence)) for sentence in tags]
        # No text has an empty word: such a dream is none.
        return [
            sentence
            for sentence in sentences
            if all(token.form and token.lemma for token in sentence.tokens)
        ]

    def _tags(self, count: int, max_length: int) -> List[List[MorphTag]]:
        """m ~ p(m), given that it is no longer than that. A tag LM of few sentences may hardly know how one ends."""
        found: List[List[MorphTag]] = []
        for _ in range(MAX_TRIALS):
            # One more than may be, to tell what has ended from what was cut off.
            drawn = self.tag_lm.sample(count - len(found), max_length=max_length + 1)
            found += (tags for tags in drawn if len(tags) <= max_length)
            if len(found) == count:
                return found
        return found + [tags[:-1] for tags in drawn if len(tags) > max_length]

    def _lemmas(self, tags: Sequence[MorphTag], temperature: float) -> List[str]:
        """For each tag a lemma ℓ ~ p(ℓ | m)."""
        known = [None] * len(tags) if self.lemma_memory is None else self.lemma_memory.draw(tags)
        of_new = [tag.pos for tag, lemma in zip(tags, known, strict=True) if lemma is None]
        new = iter(self.lemma_lm.sample(of_new, temperature=temperature))
        return [next(new) if lemma is None else lemma for lemma in known]

    def decode(
        self,
        encoded: Sequence[Sentence],
        instance_of: InflectionInstance,
        how: Literal["best", "sample"] = "best",
    ) -> List[List[str]]:
        """
        The second half of the autoencoder view p(f | f̂) (section 5.6). Returns the forms of each sentence.

        # Parameters

        encoded : `Sequence[Sentence]`
            With lemmas and tags, as the tagger-lemmatizer annotates them.
        instance_of : `Callable[[str, MorphTag], Instance]`
            As in `dream`.
        how : `str`, optional (default = `"best"`)
            The best forms, or sampled ones.
        """
        codes: List[Instance] = []
        for sentence in encoded:
            for token in sentence.tokens:
                assert token.lemma is not None
                assert token.tag is not None
                codes.append(instance_of(token.lemma, token.tag))
        if how == "best":
            decoded = iter([candidates[0][0] for candidates in self.inflector.inflect(codes)])
        else:
            decoded = iter(self.inflector.sample(codes))
        return [[next(decoded) for _ in sentence.tokens] for sentence in encoded]
