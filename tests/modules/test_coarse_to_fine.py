"""Pruning in the CRF tagger-lemmatizer, against enumeration of what it leaves."""

import itertools
import math
import re
from collections import defaultdict
from typing import Any, Dict, Optional

import numpy
import pytest
import torch
from allennlp.data import Batch

from allennlp_svae.data.sentence import Sentence
from allennlp_svae.models.crf_tagger_lemmatizer import CrfTaggerLemmatizer
from tests.models.crf_toy import (
    ANNOTATED,
    EXACT,
    LONGER,
    PRUNED,
    READER,
    TRAINING,
    Pairs,
    annotate_with,
    pairs_of,
    random_model,
    sentence,
    unnormalised,
)


@pytest.fixture(params=PRUNED, ids=str)
def pruned(request: pytest.FixtureRequest) -> CrfTaggerLemmatizer:
    """With few lemmas, so that sentences of three words can be enumerated."""
    return random_model(max_candidates=2, **request.param)


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
