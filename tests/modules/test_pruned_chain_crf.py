"""Chains of both orders over candidates against enumeration of all sequences of candidates."""

import itertools
import math
from collections import Counter
from typing import Dict, List, Tuple

import numpy
import pytest
import torch
from scipy.stats import chisquare

from allennlp_svae.modules.candidate_pruning import CandidateStates, all_states
from allennlp_svae.modules.linear_chain_crf import LinearChainCRF
from allennlp_svae.modules.pruned_chain_crf import PrunedChainCRF

LENGTHS = [4, 1, 2]
NUM_STATES = 5
NUM_CANDIDATES = 3
MASK = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS).unsqueeze(-1)
ORDERS = pytest.mark.parametrize("order", [1, 2])


def random_crf(seed: int, order: int, dtype: torch.dtype = torch.double) -> PrunedChainCRF:
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator, dtype=dtype)

    batch_size, length = MASK.shape
    moves = normal(batch_size, length - 1, *[NUM_CANDIDATES] * (order + 1))
    emissions = normal(batch_size, length, NUM_STATES)
    states = normal(batch_size, length, NUM_STATES).argsort(dim=-1)[..., :NUM_CANDIDATES]
    counts = torch.randint(1, NUM_CANDIDATES + 1, MASK.shape, generator=generator)
    counts[0, 0] = NUM_CANDIDATES
    is_candidate = torch.arange(NUM_CANDIDATES) < counts.unsqueeze(-1)
    return PrunedChainCRF(emissions, moves, MASK, CandidateStates(states, is_candidate))


def enumerate_scores(crf: PrunedChainCRF, index: int) -> Dict[Tuple[int, ...], float]:
    """Of all sequences of states."""
    emissions, moves = crf.emissions[index], crf.transitions[index]
    states = crf.candidates.states[index].tolist()
    counts = crf.candidates.is_candidate[index].sum(-1).tolist()
    scores = {}
    for path in itertools.product(*map(range, counts[: LENGTHS[index]])):
        score = sum(float(emissions[n, candidate]) for n, candidate in enumerate(path))
        for n in range(1, len(path)):
            history = [path[m] if m >= 0 else 0 for m in range(n - crf.order, n + 1)]
            score += float(moves[(n - 1, *history)])
        scores[tuple(states[n][candidate] for n, candidate in enumerate(path))] = score
    return scores


def padded(path: Tuple[int, ...]) -> List[int]:
    return [*path, *[0] * (max(LENGTHS) - len(path))]


def log_sum(scores: Dict[Tuple[int, ...], float]) -> float:
    return float(torch.tensor(list(scores.values()), dtype=torch.double).logsumexp(0))


@ORDERS
@pytest.mark.parametrize("seed", range(3))
def test_log_partition_and_log_prob(seed: int, order: int) -> None:
    crf = random_crf(seed, order)
    partitions = crf.log_partition()
    for index, length in enumerate(LENGTHS):
        scores = enumerate_scores(crf, index)
        assert float(partitions[index]) == pytest.approx(log_sum(scores))
        for path in itertools.product(range(NUM_STATES), repeat=length):
            states = torch.tensor([padded(path)] * len(LENGTHS))
            score = scores.get(path, -numpy.inf)
            assert float(crf.path_score(states)[index]) == pytest.approx(score)
            assert float(crf.log_prob(states)[index]) == pytest.approx(score - log_sum(scores))


@ORDERS
@pytest.mark.parametrize("seed", range(3))
def test_marginals(seed: int, order: int) -> None:
    crf = random_crf(seed, order)
    marginals = crf.marginals()
    for index in range(len(LENGTHS)):
        scores = enumerate_scores(crf, index)
        expected = torch.zeros(max(LENGTHS), NUM_STATES, dtype=torch.double)
        for path, score in scores.items():
            for n, state in enumerate(path):
                expected[n, state] += numpy.exp(score - log_sum(scores))
        assert torch.allclose(marginals[index], expected)


@ORDERS
@pytest.mark.parametrize("seed", range(5))
def test_viterbi(seed: int, order: int) -> None:
    crf = random_crf(seed, order)
    best = crf.viterbi()
    for index, length in enumerate(LENGTHS):
        scores = enumerate_scores(crf, index)
        assert tuple(best[index, :length].tolist()) == max(scores, key=scores.__getitem__)


@ORDERS
@pytest.mark.parametrize("k", [1, 5, 1000])
def test_k_best_rank_variants_of_a_state_with_the_paths(k: int, order: int) -> None:
    crf = random_crf(1, order)
    losses = numpy.random.default_rng(0).exponential(size=(*MASK.shape, NUM_STATES, 2))
    losses[..., 0] = 0.0
    losses[:, 0, int(crf.candidates.states[0, 0, 0]), 1] = numpy.inf  # a single variant
    for index, found in enumerate(crf.k_best(k, lambda row, column: -losses[row, column])):
        scores = {}
        for path, score in enumerate_scores(crf, index).items():
            for ranks in itertools.product(range(2), repeat=len(path)):
                lost = sum(losses[index, n, path[n], rank] for n, rank in enumerate(ranks))
                if lost < numpy.inf:
                    scores[path, ranks] = score - lost
        expected = sorted(scores, key=scores.__getitem__, reverse=True)[:k]
        assert [(tuple(path.states), tuple(path.variants)) for path in found] == expected
        assert [path.score for path in found] == pytest.approx([scores[p] for p in expected])
    for index, found in enumerate(crf.k_best(k)):
        scores = enumerate_scores(crf, index)
        expected = sorted(scores, key=scores.__getitem__, reverse=True)[:k]
        assert [tuple(path.states) for path in found] == expected


@ORDERS
def test_samples_have_the_distribution_of_the_crf(order: int) -> None:
    torch.manual_seed(0)
    crf = random_crf(3, order)
    repeats = 4000
    emissions = torch.full((*MASK.shape, NUM_STATES), torch.nan, dtype=torch.double)
    emissions.scatter_(-1, crf.candidates.states, crf.emissions)
    candidates = CandidateStates(*(each.repeat(repeats, 1, 1) for each in crf.candidates))
    many = PrunedChainCRF(
        emissions.repeat(repeats, 1, 1),
        crf.transitions.repeat(repeats, *[1] * (order + 2)),
        MASK.repeat(repeats, 1),
        candidates,
    )
    samples = many.sample().view(repeats, len(LENGTHS), -1)
    tested = 0
    for index, length in enumerate(LENGTHS):
        scores = enumerate_scores(crf, index)
        counts = Counter(tuple(path) for path in samples[:, index, :length].tolist())
        assert set(counts) <= set(scores)
        expected = numpy.exp(numpy.array(list(scores.values())) - log_sum(scores)) * repeats
        observed = numpy.array([counts[path] for path in scores], dtype=float)
        # Chi-square wants at least five in each cell: the rarer paths share that of the most frequent.
        apart = (expected >= 5) & (expected < expected.max())
        cells = [numpy.append(each[apart], each[~apart].sum()) for each in (observed, expected)]
        if apart.any():
            tested += 1
            assert chisquare(*cells).pvalue > 1e-3
    assert tested >= 2


@ORDERS
def test_gradients_against_finite_differences(order: int) -> None:
    crf = random_crf(4, order)
    emissions = torch.randn(*MASK.shape, NUM_STATES, dtype=torch.double, requires_grad=True)
    moves = crf.transitions.clone().requires_grad_()
    states = crf.candidates.states[..., 0]

    def outputs(emissions: torch.Tensor, moves: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        chain = PrunedChainCRF(emissions, moves, MASK, crf.candidates)
        return chain.log_partition(), chain.path_score(states)

    assert torch.autograd.gradcheck(outputs, (emissions, moves))


@ORDERS
def test_padding_has_no_influence(order: int) -> None:
    crf = random_crf(5, order)
    columns = torch.full((*MASK.shape, 2), 4), torch.zeros(*MASK.shape, 2, dtype=torch.bool)
    wider = CandidateStates(
        *(torch.cat(pair, dim=-1) for pair in zip(crf.candidates, columns, strict=True))
    )
    emissions = torch.full((*MASK.shape, NUM_STATES), 1e3, dtype=torch.double)
    emissions.scatter_(-1, crf.candidates.states, crf.emissions)
    moves = torch.nn.functional.pad(crf.transitions, [0, 2] * (order + 1), value=1e3)
    noisy = PrunedChainCRF(emissions, moves, MASK, wider)
    assert torch.allclose(noisy.log_partition(), crf.log_partition())
    assert torch.equal(noisy.viterbi()[MASK], crf.viterbi()[MASK])
    assert torch.allclose(noisy.marginals(), crf.marginals())
    assert bool((noisy.marginals()[~MASK] == 0).all())


@ORDERS
def test_what_is_ruled_out_has_no_probability_and_what_is_unlikely_some(order: int) -> None:
    crf = random_crf(7, order)
    emissions = torch.randn(*MASK.shape, NUM_STATES, dtype=torch.double)
    last = crf.candidates.states[..., 1]
    emissions.scatter_(-1, last.unsqueeze(-1), -30.0)
    emissions.scatter_(-1, crf.candidates.states[..., 2:], -torch.inf)
    chain = PrunedChainCRF(emissions, 10.0 * crf.transitions, MASK, crf.candidates)
    marginals = chain.marginals()
    # By the gradient, in the log semiring.
    expected = torch.zeros_like(emissions).scatter_add(
        -1, crf.candidates.states, super(PrunedChainCRF, chain).marginals()
    )
    assert torch.allclose(marginals, expected, atol=1e-20)
    assert bool((marginals.gather(-1, crf.candidates.states[..., 2:]) == 0).all())


def test_with_all_states_it_is_the_linear_chain() -> None:
    torch.manual_seed(0)
    emissions = torch.randn(*MASK.shape, NUM_STATES)
    transitions = torch.randn(NUM_STATES, NUM_STATES)
    linear = LinearChainCRF(emissions, transitions, MASK)
    states = all_states(MASK, NUM_STATES)
    moves = transitions.expand(len(MASK), MASK.size(1) - 1, -1, -1)
    first = PrunedChainCRF(emissions, moves, MASK, states)
    second = PrunedChainCRF(
        emissions, moves.unsqueeze(2).expand(-1, -1, NUM_STATES, -1, -1), MASK, states
    )
    for chain in (first, second):
        assert torch.allclose(chain.log_partition(), linear.log_partition())
        assert torch.allclose(chain.marginals(), linear.marginals(), atol=1e-6)
        assert torch.equal(chain.viterbi()[MASK], linear.viterbi()[MASK])


@ORDERS
def test_what_is_ruled_out_has_no_probability_and_a_defined_gradient(order: int) -> None:
    crf = random_crf(7, order)
    emissions = torch.zeros(*MASK.shape, NUM_STATES, dtype=torch.double)
    emissions.scatter_(-1, crf.candidates.states, crf.emissions)
    kept = int(crf.candidates.states[0, 0, 1])
    emissions[0, 0, torch.arange(NUM_STATES) != kept] = -torch.inf
    partial = PrunedChainCRF(emissions, crf.transitions, MASK, crf.candidates)
    expected = {p: s for p, s in enumerate_scores(crf, 0).items() if p[0] == kept}
    assert float(partial.log_partition()[0]) == pytest.approx(log_sum(expected))
    assert float(partial.marginals()[0, 0, kept]) == pytest.approx(1.0)
    assert bool(partial.marginals().isfinite().all())


@ORDERS
@pytest.mark.parametrize("nats", [10.0, 100.0, 1000.0])
def test_marginals_where_the_left_contradicts_the_right(order: int, nats: float) -> None:
    """In single precision, as models compute. Both are sure, the left a little more, and each move costs as much."""
    length, size = LENGTHS[0], NUM_CANDIDATES
    mask = torch.ones(1, length, dtype=torch.bool)
    emissions = torch.zeros(1, length, size)
    emissions[0, :2, 0], emissions[0, 2:, 1] = nats, nats - 1
    moves = (torch.eye(size) - 1).mul(nats * 3).expand(1, length - 1, *[size] * (order + 1))
    crf = PrunedChainCRF(emissions, moves, mask, all_states(mask, size))
    assert torch.allclose(crf.marginals()[0], enumerated_marginals(crf), atol=1e-4)


# Where a sum of what is left of two unlikely things is zero.
COST_OF_STATES = [[1, 1, 0], [1, 0, 1], [1, 1, 0], [1, 0, 0]]
COST_OF_MOVES = [
    [[0, 0, 0], [1, 1, 1], [1, 0, 0]],
    [[0, 1, 1], [0, 1, 1], [1, 1, 1]],
    [[0, 1, 1], [1, 1, 0], [1, 1, 1]],
]


@pytest.mark.parametrize("nats", [10.0, 90.0, 1000.0])
def test_marginals_where_nothing_goes_on_well(nats: float) -> None:
    emissions = -nats * torch.tensor([COST_OF_STATES])
    moves = -nats * torch.tensor([COST_OF_MOVES])
    mask = torch.ones(1, len(COST_OF_STATES), dtype=torch.bool)
    crf = PrunedChainCRF(emissions, moves, mask, all_states(mask, NUM_CANDIDATES))
    assert torch.allclose(crf.marginals()[0], enumerated_marginals(crf), atol=1e-4)


def enumerated_marginals(crf: PrunedChainCRF) -> torch.Tensor:
    """Of the first sequence; shape `(length, num_candidates)`."""
    scores = enumerate_scores(crf, 0)
    marginals = torch.zeros(len(next(iter(scores))), NUM_CANDIDATES)
    for path, score in scores.items():
        for n, state in enumerate(path):
            marginals[n, state] += math.exp(score - log_sum(scores))
    return marginals


@ORDERS
def test_sequences_of_one_position_alone(order: int) -> None:
    crf = random_crf(8, order)
    states = CandidateStates(*(each[:, :1] for each in crf.candidates))
    emissions = torch.zeros(len(MASK), 1, NUM_STATES, dtype=torch.double)
    emissions.scatter_(-1, states.states, crf.emissions[:, :1])
    short = PrunedChainCRF(emissions, crf.transitions[:, :0], MASK[:, :1], states)
    assert torch.allclose(short.log_partition(), crf.emissions[:, 0].logsumexp(dim=-1))
    best = states.states.gather(-1, crf.emissions[:, :1].argmax(dim=-1, keepdim=True)).squeeze(-1)
    assert torch.equal(short.viterbi(), best)
    assert torch.allclose(short.path_score(best), crf.emissions[:, 0].amax(dim=-1))
    assert [paths[0].states for paths in short.k_best(1)] == best.tolist()
