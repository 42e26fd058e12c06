import pytest
import torch
from allennlp.common.checks import ConfigurationError
from scipy.stats import chisquare

from allennlp_svae.modules.byte_dropout import ByteDropout


@pytest.mark.parametrize("shape", [(1,), (7,), (8,), (3, 5, 11), (0, 4)])
def test_elements_are_zero_or_scaled_so_that_the_expectation_stays(shape) -> None:
    inputs = torch.randn(shape)
    outputs = ByteDropout(0.25)(inputs)
    assert outputs.shape == shape
    assert torch.all((outputs == 0) | torch.isclose(outputs, inputs / 0.75))


@pytest.mark.parametrize("p", [0.1, 0.25, 0.3])
def test_each_element_is_dropped_as_often_and_independently(p: float) -> None:
    torch.manual_seed(1)
    dropout = ByteDropout(p)
    expected = round(256 * p) / 256
    draws, width = 20000, 10
    kept = torch.stack([dropout(torch.ones(width)) for _ in range(draws)]) != 0
    for element in range(width):
        ones = int(kept[:, element].sum())
        counts = [draws * (1 - expected), draws * expected]
        assert chisquare([ones, draws - ones], counts).pvalue > 1e-4
    # Neighbours are two bytes of one word, or the last and the first of two.
    for first in range(width - 1):
        both = int((kept[:, first] & kept[:, first + 1]).sum())
        counts = [draws * (1 - expected) ** 2, draws * (1 - (1 - expected) ** 2)]
        assert chisquare([both, draws - both], counts).pvalue > 1e-4


def test_the_gradient_is_what_was_kept() -> None:
    inputs = torch.randn(50, requires_grad=True)
    outputs = ByteDropout(0.5)(inputs)
    outputs.sum().backward()
    assert inputs.grad is not None
    assert torch.equal(inputs.grad, torch.where(outputs == 0, 0.0, 2.0))


def test_nothing_happens_in_evaluation_or_without_dropout() -> None:
    inputs = torch.randn(20)
    assert ByteDropout(0.5).eval()(inputs) is inputs
    assert ByteDropout(0.0)(inputs) is inputs


def test_it_follows_torchs_seed() -> None:
    inputs, dropout = torch.ones(100), ByteDropout(0.5)
    torch.manual_seed(3)
    first = dropout(inputs)
    second = dropout(inputs)
    torch.manual_seed(3)
    assert torch.equal(dropout(inputs), first)
    assert not torch.equal(first, second)


@pytest.mark.parametrize("p", [-0.1, 1.0])
def test_a_dropout_that_is_none_is_refused(p: float) -> None:
    with pytest.raises(ConfigurationError, match="at least 0 and less than 1"):
        ByteDropout(p)
