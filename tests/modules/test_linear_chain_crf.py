"""The linear-chain CRF against enumeration of all sequences."""

import itertools
from collections import Counter
from typing import Dict, List, Tuple

import numpy
import pytest
import torch
from scipy.stats import chisquare

from allennlp_svae.modules.linear_chain_crf import LinearChainCRF

LENGTHS = [4, 1, 3]
NUM_STATES = 3
MASK = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS).unsqueeze(-1)


def random_crf(seed: int, scale: float = 1.0, dtype: torch.dtype = torch.double) -> LinearChainCRF:
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> torch.Tensor:
        return scale * torch.randn(*shape, generator=generator, dtype=dtype)

    return LinearChainCRF(
        normal(len(LENGTHS), max(LENGTHS), NUM_STATES),
        normal(NUM_STATES, NUM_STATES),
        MASK,
        normal(NUM_STATES),
        normal(NUM_STATES),
    )


def enumerate_scores(crf: LinearChainCRF, index: int) -> Dict[Tuple[int, ...], float]:
    emissions, transitions = crf.emissions[index].tolist(), crf.transitions.tolist()
    scores = {}
    for path in itertools.product(range(NUM_STATES), repeat=LENGTHS[index]):
        score = sum(emissions[n][state] for n, state in enumerate(path))
        scores[path] = score + sum(transitions[a][b] for a, b in itertools.pairwise(path))
    return scores


def padded(path: Tuple[int, ...]) -> List[int]:
    return [*path, *[0] * (max(LENGTHS) - len(path))]


def log_sum(scores: Dict[Tuple[int, ...], float]) -> float:
    return float(torch.tensor(list(scores.values()), dtype=torch.double).logsumexp(0))


def test_initial_and_final_scores_fall_on_the_ends_of_each_sequence() -> None:
    crf = LinearChainCRF(
        torch.zeros(3, 4, 2),
        torch.zeros(2, 2),
        MASK,
        torch.tensor([1.0, 2.0]),
        torch.tensor([10.0, 20.0]),
    )
    assert crf.emissions[..., 0].tolist() == [[1, 0, 0, 10], [11, 0, 0, 0], [1, 0, 10, 0]]
    assert torch.equal(crf.emissions[..., 1], 2 * crf.emissions[..., 0])


@pytest.mark.parametrize("seed", range(3))
def test_log_partition_and_log_prob(seed: int) -> None:
    crf = random_crf(seed)
    partitions = crf.log_partition()
    for index in range(len(LENGTHS)):
        scores = enumerate_scores(crf, index)
        assert float(partitions[index]) == pytest.approx(log_sum(scores))
        for path, score in scores.items():
            states = torch.tensor([padded(path)] * len(LENGTHS))
            assert float(crf.path_score(states)[index]) == pytest.approx(score)
            assert float(crf.log_prob(states)[index]) == pytest.approx(score - log_sum(scores))


@pytest.mark.parametrize("seed", range(3))
def test_marginals(seed: int) -> None:
    crf = random_crf(seed)
    marginals = crf.marginals()
    for index, length in enumerate(LENGTHS):
        scores = enumerate_scores(crf, index)
        expected = torch.zeros(max(LENGTHS), NUM_STATES, dtype=torch.double)
        for path, score in scores.items():
            for n, state in enumerate(path):
                expected[n, state] += numpy.exp(score - log_sum(scores))
        assert torch.allclose(marginals[index], expected)
        assert bool((marginals[index, length:] == 0).all())


@pytest.mark.parametrize("seed", range(5))
def test_viterbi(seed: int) -> None:
    crf = random_crf(seed)
    best = crf.viterbi()
    for index, length in enumerate(LENGTHS):
        scores = enumerate_scores(crf, index)
        assert tuple(best[index, :length].tolist()) == max(scores, key=scores.__getitem__)


@pytest.mark.parametrize("k", [1, 5, 100])
def test_k_best_are_the_best_paths_in_order(k: int) -> None:
    crf = random_crf(1)
    for index, found in enumerate(crf.k_best(k)):
        scores = enumerate_scores(crf, index)
        expected = sorted(scores, key=scores.__getitem__, reverse=True)[:k]
        assert [tuple(path.states) for path in found] == expected
        assert [path.score for path in found] == pytest.approx([scores[p] for p in expected])


def test_k_best_ranks_variants_of_a_state_with_the_paths() -> None:
    crf = random_crf(2)
    generator = numpy.random.default_rng(0)
    losses = generator.exponential(size=(len(LENGTHS), max(LENGTHS), NUM_STATES, 2))
    losses[..., 0] = 0.0
    losses[:, 1, 0, 1] = numpy.inf  # a state with a single variant
    for index, found in enumerate(crf.k_best(40, lambda row, column: -losses[row, column])):
        scores = {}
        for path, score in enumerate_scores(crf, index).items():
            for ranks in itertools.product(range(2), repeat=len(path)):
                lost = sum(losses[index, n, path[n], rank] for n, rank in enumerate(ranks))
                if lost < numpy.inf:
                    scores[path, ranks] = score - lost
        expected = sorted(scores, key=scores.__getitem__, reverse=True)[:40]
        assert [(tuple(path.states), tuple(path.variants)) for path in found] == expected
        assert [path.score for path in found] == pytest.approx([scores[p] for p in expected])


def test_samples_have_the_distribution_of_the_crf() -> None:
    torch.manual_seed(0)
    crf = random_crf(3)
    repeats = 4000
    many = LinearChainCRF(
        crf.emissions.repeat(repeats, 1, 1), crf.transitions, MASK.repeat(repeats, 1)
    )
    samples = many.sample().view(repeats, len(LENGTHS), -1)
    for index, length in enumerate(LENGTHS):
        scores = enumerate_scores(crf, index)
        counts = Counter(tuple(path) for path in samples[:, index, :length].tolist())
        expected = numpy.exp(numpy.array(list(scores.values())) - log_sum(scores)) * repeats
        observed = numpy.array([counts[path] for path in scores], dtype=float)
        # Chi-square wants at least five in each cell: rarer paths share one, with the most frequent.
        kept = expected >= 5
        assert kept.sum() > 2
        observed = numpy.append(observed[kept], observed[~kept].sum())
        expected = numpy.append(expected[kept], expected[~kept].sum())
        observed, expected = (numpy.append(x[1:-1], x[0] + x[-1]) for x in (observed, expected))
        assert chisquare(observed, expected).pvalue > 1e-3


def test_gradients_against_finite_differences() -> None:
    crf = random_crf(4)
    emissions = crf.emissions.clone().requires_grad_()
    transitions = crf.transitions.clone().requires_grad_()
    assert torch.autograd.gradcheck(
        lambda e, t: LinearChainCRF(e, t, MASK).log_partition(), (emissions, transitions)
    )


def test_padding_has_no_influence() -> None:
    crf = random_crf(5)
    noise = crf.emissions.masked_fill(~MASK.unsqueeze(-1), 1e3)
    noisy = LinearChainCRF(noise, crf.transitions, MASK)
    assert torch.allclose(noisy.log_partition(), crf.log_partition())
    assert torch.equal(noisy.viterbi()[MASK], crf.viterbi()[MASK])
    states = torch.zeros(len(LENGTHS), max(LENGTHS), dtype=torch.long)
    assert torch.allclose(noisy.path_score(states), crf.path_score(states))


@pytest.mark.parametrize("scale", [30.0, 300.0])
def test_single_precision_survives_extreme_scores(scale: float) -> None:
    crf = random_crf(6, scale, torch.float)
    partitions = crf.log_partition()
    for index in range(len(LENGTHS)):
        expected = log_sum(enumerate_scores(crf, index))
        assert float(partitions[index]) == pytest.approx(expected, rel=1e-5)
    assert bool(crf.marginals().isfinite().all())


def test_states_that_are_ruled_out_leave_the_sum_and_its_gradient() -> None:
    crf = random_crf(7)
    emissions = crf.emissions.clone()
    emissions[:, 0, :2] = -torch.inf
    partial = LinearChainCRF(emissions, crf.transitions, MASK)
    for index, partition in enumerate(partial.log_partition().tolist()):
        kept = {p: s for p, s in enumerate_scores(crf, index).items() if p[0] == 2}
        assert partition == pytest.approx(log_sum(kept))
    first = partial.marginals()[:, 0]
    assert torch.allclose(first, torch.tensor([0.0, 0.0, 1.0], dtype=torch.double))
