"""The chain over parts of speech against enumeration of all sequences of tags, and what it prunes."""

import itertools
from typing import Tuple

import pytest
import torch

from allennlp_svae.modules.candidate_pruning import prune
from allennlp_svae.modules.pos_chain import PosChain

LENGTHS = [4, 1, 3]
POS = torch.tensor([1, 0, 1, 2, 0])
MASK = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS).unsqueeze(-1)


def random_scores(seed: int) -> Tuple[torch.Tensor, torch.Tensor]:
    """Emissions and transitions."""
    generator = torch.Generator().manual_seed(seed)
    emissions = torch.randn(*MASK.shape, len(POS), generator=generator, dtype=torch.double)
    return emissions, 2 * torch.randn(3, 3, generator=generator, dtype=torch.double)


def enumerated(emissions: torch.Tensor, transitions: torch.Tensor) -> torch.Tensor:
    marginals = torch.zeros_like(emissions)
    for row, length in enumerate(LENGTHS):
        for path in itertools.product(range(len(POS)), repeat=length):
            score = sum(emissions[row, n, tag] for n, tag in enumerate(path))
            pos = POS[list(path)].tolist()
            score += sum(transitions[a, b] for a, b in itertools.pairwise(pos))
            for n, tag in enumerate(path):
                marginals[row, n, tag] += torch.as_tensor(score).exp()
    return marginals / marginals.sum(dim=-1, keepdim=True).clamp(min=1e-300)


@pytest.mark.parametrize("seed", range(3))
def test_marginals_are_those_of_the_enumeration(seed: int) -> None:
    emissions, transitions = random_scores(seed)
    marginals = PosChain(emissions, POS, transitions, MASK).marginals()
    assert torch.allclose(marginals, enumerated(emissions, transitions))


def test_a_tag_can_be_ruled_out_and_a_part_of_speech_with_all_of_its_tags() -> None:
    emissions, transitions = random_scores(3)
    emissions[0, 1, 3] = emissions[0, 2, 0] = emissions[2, 0, 0] = emissions[2, 0, 2] = -torch.inf
    marginals = PosChain(emissions, POS, transitions, MASK).marginals()
    assert torch.allclose(marginals, enumerated(emissions, transitions))
    assert bool((marginals[emissions == -torch.inf] == 0).all())


def test_the_tags_of_the_likeliest_parts_of_speech_stay() -> None:
    emissions, transitions = random_scores(4)
    chain = PosChain(emissions, POS, transitions, MASK)
    exact = chain.marginals()
    of_pos = torch.stack([exact[..., torch.eq(POS, pos)].sum(dim=-1) for pos in range(3)], dim=-1)
    left = prune(of_pos, MASK, 1.5)
    pruned = chain.marginals(1.5)
    for row, column in MASK.nonzero().tolist():
        pos_left = left.states[row, column][left.is_candidate[row, column]]
        stays = torch.isin(POS, pos_left)
        assert torch.allclose(pruned[row, column][stays], exact[row, column][stays])
        assert pruned[row, column][~stays].tolist() == [0.0] * int((~stays).sum())
    assert 8 < int((pruned > 0).sum()) < 8 * len(POS)


@pytest.mark.parametrize("target", [None, 3.0])
def test_with_room_for_all_parts_of_speech_nothing_is_pruned(target: float) -> None:
    emissions, transitions = random_scores(5)
    marginals = PosChain(emissions.float(), POS, transitions.float(), MASK).marginals(target)
    assert torch.allclose(marginals, enumerated(emissions, transitions).float(), atol=1e-6)
    assert bool((marginals[~MASK] == 0).all())
