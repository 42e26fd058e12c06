"""The joint CRF tagger-lemmatizer against enumeration of all (lemma, tag) sequences, and as a trained Model."""

import itertools
import json
import math
import re
from collections import Counter, defaultdict
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy
import pytest
import torch
from allennlp.commands.train import train_model_from_file
from allennlp.common.checks import ConfigurationError
from allennlp.common.testing import ModelTestCase
from allennlp.data import Batch, Instance, Vocabulary
from allennlp.models import load_archive
from scipy.stats import chisquare

from allennlp_svae.data.errors import DataError
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


@pytest.fixture(params=EXACT, ids=str)
def model(request: pytest.FixtureRequest) -> CrfTaggerLemmatizer:
    return random_model(**request.param)


@pytest.fixture(params=PRUNED, ids=str)
def pruned(request: pytest.FixtureRequest) -> CrfTaggerLemmatizer:
    """With few lemmas, so that sentences of three words can be enumerated."""
    return random_model(max_candidates=2, **request.param)


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


WORDS = sentence("Evler// geldi//")


def test_log_prob_and_loss_are_those_of_the_enumeration(model: CrfTaggerLemmatizer) -> None:
    expected = log_probs(model, WORDS)
    assert len(expected) > 100
    instances = [READER.text_to_instance(annotate_with(WORDS, path)) for path in expected]
    assert model.log_prob(instances) == pytest.approx(list(expected.values()), abs=1e-4)
    weighted = READER.text_to_instance(instances[0]["metadata"].metadata, weight=3.0)
    first, second = itertools.islice(expected.values(), 2)
    loss = loss_of(model, weighted, instances[1])
    assert loss == pytest.approx(-(3.0 * first + second) / 2, abs=1e-4)


def test_what_is_not_annotated_is_summed_out(model: CrfTaggerLemmatizer) -> None:
    expected = log_probs(model, WORDS)
    for text in (
        "Evler/ev/ geldi//ADJ",
        "Evler/ev/NOUN;Number=Plur geldi//",
        "Evler//ADJ geldi/gel/",
    ):
        partial = sentence(text)
        total = sum(
            math.exp(log_prob)
            for path, log_prob in expected.items()
            if all(
                token.lemma in (None, lemma) and token.tag in (None, tag)
                for token, (lemma, tag) in zip(partial.tokens, path, strict=True)
            )
        )
        assert loss_of(model, READER.text_to_instance(partial)) == pytest.approx(
            -math.log(total), abs=1e-4
        )


def test_best_and_k_best_maximise_over_pairs(model: CrfTaggerLemmatizer) -> None:
    expected = log_probs(model, WORDS)
    instance = READER.text_to_instance(WORDS)
    ranked = sorted(expected, key=expected.__getitem__, reverse=True)
    (best,) = model.annotate([instance])
    assert pairs_of(best) == ranked[0]
    (found,) = model.k_best([instance], 20)
    assert [log_prob for _, log_prob in found] == pytest.approx(
        [expected[path] for path in ranked[:20]], abs=1e-4
    )
    assert len({pairs_of(each) for each, _ in found}) == 20
    for each, log_prob in found:
        assert expected[pairs_of(each)] == pytest.approx(log_prob, abs=1e-4)
    (everything,) = model.k_best([instance], 10_000)
    assert len(everything) == len(expected)


def test_the_best_pairs_of_each_word_are_those_of_the_enumeration(
    model: CrfTaggerLemmatizer,
) -> None:
    expected = log_probs(model, WORDS)
    for k in (1, 4, 10_000):
        (found,) = model.analyses([READER.text_to_instance(WORDS)], k)
        for position, analyses in enumerate(found):
            check_best_pairs(position, analyses, expected, k)


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


def test_samples_are_drawn_from_the_distribution_over_pairs(model: CrfTaggerLemmatizer) -> None:
    torch.manual_seed(0)
    for parameter in model.parameters():
        parameter.data.mul_(2.0)  # fewer rare paths
    expected = log_probs(model, WORDS)
    repeats = 6000
    samples = model.annotate([READER.text_to_instance(WORDS)] * repeats, how="sample")
    counts = Counter(map(pairs_of, samples))
    assert set(counts) <= set(expected)
    frequent = [path for path, log_prob in expected.items() if math.exp(log_prob) * repeats >= 5]
    assert len(frequent) > 10
    predicted = numpy.array([math.exp(expected[path]) * repeats for path in frequent])
    observed = numpy.array([counts[path] for path in frequent], dtype=float)
    cells = [
        numpy.append(values[1:], values[0] + repeats - values.sum())
        for values in (observed, predicted)
    ]
    assert chisquare(*cells).pvalue > 1e-3


def test_marginals_are_those_of_the_enumeration(model: CrfTaggerLemmatizer) -> None:
    expected = numpy.zeros((2, len(model.inventory)))
    for path, log_prob in log_probs(model, WORDS).items():
        for position, (_, tag) in enumerate(path):
            expected[position, model.inventory.index_of(tag)] += math.exp(log_prob)
    (marginals,) = model.marginals([READER.text_to_instance(WORDS)])
    assert numpy.allclose(marginals, expected, atol=1e-5)


LONGER = sentence("Evler// uzak// geldi//")


def restricted(model: CrfTaggerLemmatizer, words: Sentence) -> Dict[Pairs, float]:
    """log q by enumeration of what the model leaves of the tags, those with a posterior."""
    (marginals,) = model.marginals([READER.text_to_instance(words)])
    tags = [
        {tag for tag, value in zip(model.inventory.tags, row, strict=True) if value > 0}
        for row in marginals
    ]
    assert 1 < sum(map(len, tags)) < len(words) * len(model.inventory)
    scores = {
        path: score
        for path, score in unnormalised(model, words).items()
        if all(tag in left for (_, tag), left in zip(path, tags, strict=True))
    }
    partition = float(torch.tensor(list(scores.values()), dtype=torch.double).logsumexp(0))
    return {path: score - partition for path, score in scores.items()}


def test_pruned_it_is_the_distribution_over_what_is_left(pruned: CrfTaggerLemmatizer) -> None:
    expected = restricted(pruned, LONGER)
    instance = READER.text_to_instance(LONGER)
    ranked = sorted(expected, key=expected.__getitem__, reverse=True)
    annotated = [READER.text_to_instance(annotate_with(LONGER, path)) for path in ranked[:40]]
    assert pruned.log_prob(annotated) == pytest.approx(
        [expected[path] for path in ranked[:40]], abs=1e-4
    )
    (best,) = pruned.annotate([instance])
    assert pairs_of(best) == ranked[0]
    (found,) = pruned.k_best([instance], 10_000)
    assert {pairs_of(each) for each, _ in found} == set(expected)
    assert [log_prob for _, log_prob in found] == pytest.approx(
        [expected[path] for path in ranked], abs=1e-4
    )
    marginals = numpy.zeros((3, len(pruned.inventory)))
    for path, log_prob in expected.items():
        for position, (_, tag) in enumerate(path):
            marginals[position, pruned.inventory.index_of(tag)] += math.exp(log_prob)
    assert numpy.allclose(pruned.marginals([instance])[0], marginals, atol=1e-5)
    samples = pruned.annotate([instance] * 200, how="sample")
    assert {pairs_of(each) for each in samples} <= set(expected)


def test_a_lexicon_adds_lemmas_and_tags_where_it_lists_them() -> None:
    model = random_model(lexicon=ENTRIES)
    new = MorphTag.parse("NOUN;Number=Dual")
    instances = [
        READER.text_to_instance(sentence(text))
        for text in (
            "Evler/evla/NOUN;Number=Dual",
            "evler/evla/NOUN;Number=Dual",
            "geldi/gel/NOUN;Number=Dual",
            "geldi/git/VERB;Tense=Past",
        )
    ]
    assert model.inventory.tags[-2:] == sorted([new, MorphTag.parse("ADV;Degree=Cmp")])
    possible, folded, elsewhere, other = model.log_prob(instances)
    assert math.isfinite(possible)
    assert folded == elsewhere == -math.inf
    assert math.isfinite(other)
    assert random_model().log_prob(instances) == [-math.inf] * 4


def test_composed_tags_are_possible_for_every_word() -> None:
    instance = READER.text_to_instance(sentence(f"geldi/gel/{COMPOSED}"))
    (log_prob,) = random_model(composed_tag_ratio=0.125).log_prob([instance])
    assert math.isfinite(log_prob)
    # Fewer than one of eight.
    assert random_model(composed_tag_ratio=0.12).log_prob([instance]) == [-math.inf]


def test_what_a_lexicon_lists_is_believed_as_far_as_training_data_bear_it_out() -> None:
    new = MorphTag.parse("NOUN;Number=Dual")
    words = READER.text_to_instance(sentence("blick/blicka/NOUN;Number=Dual"))
    probabilities = []
    for is_right in (True, False):
        entries = [Triple("blick", "blicka", new)]
        for text in ANNOTATED:
            for form, lemma, tag in sentence(text).tokens:
                assert tag is not None
                entries.append(Triple(form, str(lemma), tag if is_right else MorphTag("X")))
        model = random_model(lexicon=entries).train()
        for parameter in model.parameters():
            parameter.data.zero_()
        batch = Batch(TRAINING)
        batch.index_instances(model.vocab)
        optimizer = torch.optim.Adagrad(model.parameters(), lr=0.2)
        for _ in range(60):
            optimizer.zero_grad()
            model(**batch.as_tensor_dict())["loss"].backward()
            optimizer.step()
        probabilities.append(math.exp(model.log_prob([words])[0]))
    assert probabilities[0] > 2 * probabilities[1]


def test_what_pruning_leaves_are_the_likeliest_tags_of_the_order_below() -> None:
    by_order = {}
    for order, pruning in ((1, [2.0]), (2, [6.0, 2.0])):
        model = random_model(max_candidates=2, order=order, pruning=pruning)
        if order == 1:
            below = random_model(max_candidates=2)
            for parameter in (below.part_transitions, model.part_transitions):
                parameter.data.zero_()  # order 0
        else:
            below = random_model(max_candidates=2)
            below.load_state_dict(model.state_dict(), strict=False)
        instance = READER.text_to_instance(LONGER)
        (left,), (posteriors,) = model.marginals([instance]), below.marginals([instance])
        assert (left > 0).sum() == 6
        best = numpy.arange(3), posteriors.argmax(axis=1)
        assert (left[best] > 0).all()
        posteriors[best] = 0.5
        left[best] = 0.0
        assert posteriors[left > 0].min() >= numpy.sort(posteriors[posteriors < 0.5])[-3]
        by_order[order] = left
    assert not numpy.allclose(by_order[1], by_order[2])


def test_parts_of_speech_are_pruned_by_a_chain_over_them() -> None:
    with_chain = random_model(max_candidates=2, pos_pruning=1, pruning=[8.0])
    # Transitions between parts of speech alone, which the first pass has.
    below = random_model(max_candidates=2)
    parts = below.inventory.parts
    of_pos = {tag.pos for tag in below.inventory.tags}
    for here, there in itertools.product(range(len(parts)), repeat=2):
        if not {parts[here], parts[there]} <= of_pos:
            below.part_transitions.data[here, there] = 0.0
    instance = READER.text_to_instance(LONGER)
    (left,), (posteriors,) = with_chain.marginals([instance]), below.marginals([instance])
    for here, there in zip(left, posteriors, strict=True):
        by_pos: Dict[str, float] = defaultdict(float)
        for tag, value in zip(below.inventory.tags, there, strict=True):
            by_pos[tag.pos] += float(value)
        best = max(by_pos, key=by_pos.__getitem__)
        expected = {tag for tag in below.inventory.tags if tag.pos == best}
        stay = {tag for tag, value in zip(below.inventory.tags, here, strict=True) if value > 0}
        assert stay == expected


@pytest.mark.parametrize("pos_pruning", [None, 20.0])
@pytest.mark.parametrize("options", EXACT, ids=str)
def test_with_room_for_all_tags_pruning_is_exact(
    options: Dict[str, Any], pos_pruning: Optional[float]
) -> None:
    exact = random_model(**options)
    room = [float(len(exact.inventory))] * options.get("order", 1)
    pruned = random_model(**options, pruning=room, pos_pruning=pos_pruning)
    assert pruned.log_prob(TRAINING) == pytest.approx(exact.log_prob(TRAINING), abs=1e-4)
    assert pruned.annotate(TRAINING) == exact.annotate(TRAINING)
    for here, there in zip(pruned.marginals(TRAINING), exact.marginals(TRAINING), strict=True):
        assert numpy.allclose(here, there, atol=1e-5)


@pytest.mark.parametrize(
    "options",
    [
        {"pruning": [1]},
        {"order": 2, "pruning": [2, 1]},
        {"order": 2, "pos_pruning": 1, "pruning": [8, 1]},
    ],
    ids=str,
)
def test_the_annotated_tag_stays_in_the_loss_and_is_not_told(options: Dict[str, Any]) -> None:
    model = random_model(**options)
    instances = [READER.text_to_instance(sentence(text)) for text in ANNOTATED]
    batch = Batch(instances)
    batch.index_instances(model.vocab)
    output = model(**batch.as_tensor_dict())
    assert 0.1 < float(output["loss"]) < math.inf
    metrics = model.get_metrics(reset=True)
    assert metrics["pruned_tag_rate"] > 0.2
    assert metrics["candidates_per_token"] == pytest.approx(1 + metrics["pruned_tag_rate"])
    assert -math.inf in model.log_prob(instances)
    raw = [READER.text_to_instance(sentence(re.sub("/[^ ]*", "//", text))) for text in ANNOTATED]
    decoded = model.annotate(raw)
    assert output["tags"] == [[str(token.tag) for token in each.tokens] for each in decoded]
    loss = model.train()(**batch.as_tensor_dict())["loss"]
    loss.backward()
    assert math.isfinite(float(loss))
    assert all(
        bool(parameter.grad.to_dense().isfinite().all())
        for parameter in model.parameters()
        if parameter.grad is not None
    )


def test_weights_of_the_default_are_those_of_its_archives() -> None:
    names = {name for name, _ in random_model().named_parameters()}
    assert names >= {
        "part_transitions",
        "initial_parts",
        "final_parts",
        "word_scorer.sparse.weight",
    }
    second = {name for name, _ in random_model(order=2, pruning=[4, 2]).named_parameters()}
    assert second == {*names, "trigrams.weight"}
    assert set(random_model(pruning=[4]).state_dict()) == set(random_model().state_dict())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 3}, "order must be 1 or 2"),
        ({"order": 2, "pruning": [4]}, "1 targets; of order 2 it needs 2"),
        ({"pruning": [4, 2]}, "2 targets; of order 1 it needs 1"),
        ({"pruning": [0.5]}, "a target of 0.5"),
        ({"pruning": [4], "pos_pruning": 0.5}, "pos_pruning: a target of 0.5"),
        ({"pos_pruning": 2}, "give targets of both"),
    ],
)
def test_options_that_fit_nothing_are_refused(options: Dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        random_model(**options)


@pytest.mark.parametrize("options", [*EXACT, *PRUNED], ids=str)
def test_results_do_not_depend_on_the_company(options: Dict[str, Any]) -> None:
    model = random_model(**options)
    texts = [*ANNOTATED, "kitap// kitap// kitap// kitap// kitap//", "ev//"]
    instances = [READER.text_to_instance(sentence(text)) for text in texts]
    together = model.annotate(instances)
    assert together == [model.annotate([instance])[0] for instance in instances]
    assert [each.forms for each in together] == [sentence(text).forms for text in texts]


def test_what_q_cannot_produce_has_no_probability(model: CrfTaggerLemmatizer) -> None:
    unknown_tag = READER.text_to_instance(sentence("ev/ev/X;Foreign=Yes"))
    unknown_lemma = READER.text_to_instance(sentence("ev/house/ADJ"))
    assert model.log_prob([unknown_tag, unknown_lemma]) == [-math.inf, -math.inf]
    with pytest.raises(DataError, match="'Evler' has no tag"):
        model.log_prob([READER.text_to_instance(WORDS)])


def test_an_unknown_tag_is_wrong_but_no_loss(model: CrfTaggerLemmatizer) -> None:
    assert loss_of(model, READER.text_to_instance(sentence("ev//X;Foreign=Yes"))) == pytest.approx(
        0.0, abs=1e-5
    )
    metrics = model.get_metrics(reset=True)
    assert metrics["unknown_tag_rate"] == 1.0
    assert metrics["tag_accuracy"] == 0.0
    assert all(type(value) is float for value in metrics.values())


def test_in_training_an_unreachable_lemma_is_a_candidate(model: CrfTaggerLemmatizer) -> None:
    instance = READER.text_to_instance(sentence("ev/house/ADJ"))
    free = loss_of(model, READER.text_to_instance(sentence("ev//ADJ")))
    assert loss_of(model, instance) == pytest.approx(free, abs=1e-5)
    assert loss_of(model.train(), instance) > free + 0.001


@pytest.mark.parametrize("options", [*EXACT, *PRUNED], ids=str)
def test_the_gradient_is_that_of_finite_differences(options: Dict[str, Any]) -> None:
    model = random_model(**options).double().train()
    batch = Batch(TRAINING)
    batch.index_instances(model.vocab)
    tensors = batch.as_tensor_dict()
    model(**tensors)["loss"].backward()
    generator = torch.Generator().manual_seed(1)
    for parameter in model.parameters():
        gradient = parameter.grad.to_dense() if parameter.grad.is_sparse else parameter.grad
        direction = torch.randn(parameter.shape, generator=generator, dtype=torch.double)
        losses = []
        for step in (1e-5, -1e-5):
            with torch.no_grad():
                parameter.add_(direction, alpha=step)
                losses.append(float(model(**tensors)["loss"]))
                parameter.add_(direction, alpha=-step)
        slope = (losses[0] - losses[1]) / 2e-5
        assert slope == pytest.approx(float((gradient * direction).sum()), rel=1e-5, abs=1e-7)


def test_bad_requests_are_refused(model: CrfTaggerLemmatizer) -> None:
    with pytest.raises(ValueError, match="how must be"):
        model.annotate([], how="worst")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 1"):
        model.k_best([], 0)


CONFIG: Dict[str, Any] = {
    "dataset_reader": {"type": "tagged_sentences", "tagset": "ud"},
    "model": {"type": "crf_tagger_lemmatizer"},
    "data_loader": {"batch_size": 2, "shuffle": True},
    "trainer": {
        "num_epochs": 15,
        "optimizer": {"type": "adagrad", "lr": 0.1},
        "moving_average": {"type": "polynomial_decay", "every": 2},
        "cuda_device": -1,
    },
}


class TestCrfTaggerLemmatizer(ModelTestCase):
    model_config: Dict[str, Any] = CONFIG["model"]

    def setup_method(self) -> None:
        super().setup_method()
        data = Path(self.TEST_DIR) / "train.conllu"
        with data.open("w", encoding="utf-8") as file:
            for text in ANNOTATED:
                for index, token in enumerate(sentence(text).tokens, start=1):
                    assert token.tag is not None
                    features = "|".join(sorted(token.tag.features)) or "_"
                    columns = [index, token.form, token.lemma, token.tag.pos, "_", features]
                    print(*columns, "_", "_", "_", "_", sep="\t", file=file)
                print(file=file)
        config = Path(self.TEST_DIR) / "config.json"
        paths = {"train_data_path": str(data), "validation_data_path": str(data)}
        config.write_text(
            json.dumps({**CONFIG, **paths, "model": self.model_config}), encoding="utf-8"
        )
        self.set_up_model(config, data)

    def test_it_trains_saves_and_loads(self) -> None:
        self.ensure_model_can_train_save_and_load(
            self.param_file,
            metric_to_check="joint_accuracy",
            metric_terminal_value=1.0,
            metric_tolerance=1e-9,
        )

    def test_an_archive_can_be_pruned_when_it_is_loaded(self) -> None:
        run = Path(self.TEST_DIR) / "run"
        trained = train_model_from_file(self.param_file, run)
        pruning = [1.0] * self.model_config.get("order", 1)
        pruned = load_archive(run, overrides={"model.pruning": pruning}).model
        names = dict(trained.named_parameters())
        assert all(torch.equal(value, names[name]) for name, value in pruned.named_parameters())
        (marginals,) = pruned.marginals([READER.text_to_instance(LONGER)])
        assert (marginals > 0).sum() == 3

    def test_trained_twice_it_is_the_same(self) -> None:
        first, second = (
            train_model_from_file(self.param_file, Path(self.TEST_DIR) / run).state_dict()
            for run in ("first", "second")
        )
        assert all(torch.equal(value, second[name]) for name, value in first.items())

    def test_batches_agree_with_single_instances(self) -> None:
        self.ensure_batch_predictions_are_consistent(keys_to_ignore=["loss"])


class TestSecondOrder(TestCrfTaggerLemmatizer):
    model_config = {**CONFIG["model"], "order": 2, "pruning": [3, 2]}
