"""A CRF tagger-lemmatizer so small that all its (lemma, tag) sequences can be enumerated."""

import itertools
import math
from collections import defaultdict
from copy import deepcopy
from functools import cache
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy
import pytest
import torch
from allennlp.data import Batch, Instance, Vocabulary

from allennlp_svae.data.sentence import Sentence, Token, Triple
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.tagged_sentences import TaggedSentencesReader
from allennlp_svae.models.crf_tagger_lemmatizer import CrfTaggerLemmatizer
from allennlp_svae.modules.lexicon import LEXICON, entry_token
from allennlp_svae.modules.token_analysis import TokenAnalysis

Pairs = Tuple[Tuple[str, MorphTag], ...]
ANNOTATED = [
    "Evler/ev/NOUN;Number=Plur uzak/uzak/ADJ ././PUNCT",
    "kitap/kitap/NOUN;Number=Sing geldi/gel/VERB;Tense=Past",
    "Ankara'dan/Ankara/PROPN;Case=Abl gelir/gel/VERB;Tense=Pres ././PUNCT",
]


def sentence(text: str) -> Sentence:
    """From words written form/lemma/tag, where lemma and tag may be empty."""
    tokens = []
    for word in text.split():
        form, lemma, tag = word.split("/")
        tokens.append(Token(form, lemma or None, MorphTag.parse(tag) if tag else None))
    return Sentence(tuple(tokens))


READER = TaggedSentencesReader(tagset="ud")
TRAINING = [READER.text_to_instance(sentence(text)) for text in ANNOTATED]
VOCAB = Vocabulary.from_instances(TRAINING)
# Two of its lemmas are none of the candidates by edit trees, and two of its tags are new.
ENTRIES = [
    Triple("Evler", "ev", MorphTag.parse("NOUN;Number=Plur")),
    Triple("Evler", "evla", MorphTag.parse("NOUN;Number=Dual")),
    Triple("geldi", "git", MorphTag.parse("VERB;Tense=Past")),
    Triple("uzak", "uzak", MorphTag.parse("ADV;Degree=Cmp")),
]
# By analogy, where ablatives are nouns too.
COMPOSED = "NOUN;Case=Abl;Number=Sing"

EXACT: List[Dict[str, Any]] = [
    {},
    {"order": 2},
    {"lexicon": ENTRIES},
    {"composed_tag_ratio": 0.125, "lexicon": ENTRIES},
]
PRUNED = [
    {"pruning": [2.5]},
    {"order": 2, "pruning": [4, 2.4]},
    {"pruning": [2.5], "lexicon": ENTRIES},
    {"order": 2, "pos_pruning": 2, "pruning": [3, 2.4]},
]
WORDS = sentence("Evler// geldi//")
# Of three words, few enough to be enumerated where lemmas are few.
LONGER = sentence("Evler// uzak// geldi//")


def random_model(lexicon: Sequence[Triple] = (), **options: Any) -> CrfTaggerLemmatizer:
    vocab = deepcopy(VOCAB)
    vocab.add_tokens_to_namespace(list(map(entry_token, lexicon)), LEXICON)
    if "composed_tag_ratio" in options:
        vocab.add_token_to_namespace("NOUN;Case=Abl;Number=Plur", "morphology")
    model = CrfTaggerLemmatizer(vocab, **options)
    generator = torch.Generator().manual_seed(0)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3, generator=generator)
    return model.eval()


def unnormalised(model: CrfTaggerLemmatizer, words: Sentence) -> Dict[Pairs, float]:
    """Every annotation with its score, summed up part by part from the weights."""
    weights = {name: parameter.detach() for name, parameter in model.named_parameters()}
    parts, tags, vocab = model.inventory.parts, model.inventory.tags, model.vocab
    instance = READER.text_to_instance(words)

    def part_ids(tag: MorphTag) -> List[int]:
        return [parts.index(part) for part in tag.parts]

    def is_seen(tag: MorphTag) -> bool:
        return str(tag) in vocab.get_token_to_index_vocabulary("morphology")

    def of_lexicon(form: str) -> Dict[MorphTag, float]:
        """What the lexicon adds to each tag's score, of those that it leaves."""
        if "lexicon.listed" not in weights:
            return dict.fromkeys(tags, 0.0)
        listed = [entry.tag for entry in ENTRIES if entry.form == form]
        listed_parts = {part for tag in listed for part in tag.parts}
        added = {}
        for tag in tags:
            if not (tag in listed or is_seen(tag) or str(tag) == COMPOSED):
                continue
            score = (tag in listed) * weights["lexicon.listed"][0]
            score += any(tag.pos == each.pos for each in listed) * weights["lexicon.listed"][1]
            for here, there in itertools.product(tag.parts, listed_parts):
                score += weights["lexicon.parts.weight"][parts.index(here), parts.index(there)]
            added[tag] = float(score)
        return added

    options = []
    for token in instance["tokens"]:
        ids = vocab.get_token_to_index_vocabulary("word_features")
        features = [ids[feature] for feature in token.word_features if feature in ids]
        candidates = model.candidates.of(token.text)
        bags = numpy.split(candidates.features, numpy.cumsum(candidates.sizes)[:-1])
        scored = {}
        lexical = of_lexicon(token.text)
        for tag, (lemma, bag) in itertools.product(tags, zip(candidates.lemmas, bags, strict=True)):
            if tag not in lexical:
                continue
            columns = part_ids(tag)
            if is_seen(tag):
                columns.append(len(parts) + tags.index(tag))
            score = sum(
                weights["word_scorer.sparse.weight"][f, c] for f in features for c in columns
            )
            columns = [0, *(1 + part for part in part_ids(tag))]
            for feature, column in itertools.product(bag.tolist(), columns):
                score += weights["lemma_scorer.linear.weight"][feature, column]
            scored[lemma, tag] = float(score) + lexical[tag]
        options.append(scored)

    @cache
    def move(before: MorphTag, after: MorphTag) -> float:
        return float(weights["part_transitions"][part_ids(before)][:, part_ids(after)].sum())

    @cache
    def move_after_two(*three: Optional[MorphTag]) -> float:
        if "trigrams.weight" not in weights:
            return 0.0
        # What precedes the sentence comes after all parts of speech.
        all_pos = [*sorted({tag.pos for tag in tags}), None]
        earlier, before = (all_pos.index(tag and tag.pos) for tag in three[:2])
        assert three[2] is not None
        return float(weights["trigrams.weight"][earlier, before, part_ids(three[2])].sum())

    totals = {}
    for path in itertools.product(*options):
        score = sum(scored[pair] for scored, pair in zip(options, path, strict=True))
        score += float(weights["initial_parts"][part_ids(path[0][1])].sum())
        score += float(weights["final_parts"][part_ids(path[-1][1])].sum())
        path_tags = [None, *(tag for _, tag in path)]
        for earlier, before, after in zip(path_tags, path_tags[1:], path_tags[2:], strict=False):
            assert before is not None
            assert after is not None
            score += move(before, after) + move_after_two(earlier, before, after)
        totals[path] = score
    return totals


def log_probs(model: CrfTaggerLemmatizer, words: Sentence) -> Dict[Pairs, float]:
    scores = unnormalised(model, words)
    partition = float(torch.tensor(list(scores.values()), dtype=torch.double).logsumexp(0))
    return {path: score - partition for path, score in scores.items()}


def pairs_of(annotated: Sentence) -> Pairs:
    return tuple((token.lemma, token.tag) for token in annotated.tokens)  # type: ignore[misc]


def annotate_with(words: Sentence, path: Pairs) -> Sentence:
    return Sentence(
        tuple(Token(token.form, *pair) for token, pair in zip(words.tokens, path, strict=True))
    )


def loss_of(model: CrfTaggerLemmatizer, *instances: Instance) -> float:
    batch = Batch(instances)
    batch.index_instances(model.vocab)
    return float(model(**batch.as_tensor_dict())["loss"])


@pytest.fixture(params=EXACT, ids=str)
def model(request: pytest.FixtureRequest) -> CrfTaggerLemmatizer:
    return random_model(**request.param)


def check_best_pairs(
    position: int, analyses: List[TokenAnalysis], expected: Dict[Pairs, float], k: int
) -> None:
    """That they are the k best sums over all annotations of what q gives to a word's pairs."""
    sums: Dict[Tuple[str, MorphTag], float] = defaultdict(float)
    for path, log_prob in expected.items():
        sums[path[position]] += math.exp(log_prob)
    ranked = sorted(sums.values(), reverse=True)[:k]
    assert [math.exp(each.log_prob) for each in analyses] == pytest.approx(ranked, abs=1e-5)
    for log_prob, token in analyses:
        assert token.form == WORDS.forms[position]
        assert token.lemma is not None
        assert token.tag is not None
        assert math.exp(log_prob) == pytest.approx(sums[token.lemma, token.tag], abs=1e-5)
    assert len({each.token for each in analyses}) == len(analyses)
