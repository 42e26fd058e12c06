import math

import pytest
import torch

from allennlp_svae.training.ratio import Ratio, perplexity


def test_divides_sums_and_not_quotients() -> None:
    ratio = Ratio()
    ratio(torch.tensor(3.0, requires_grad=True), torch.tensor(1))
    ratio(torch.tensor(1.0), torch.tensor(3))
    assert ratio.get_metric() == 1.0
    assert type(ratio.get_metric(reset=True)) is float
    assert ratio.get_metric() == 0.0


def test_perplexity() -> None:
    assert perplexity(math.log(7)) == pytest.approx(7)
    assert perplexity(1e6) == math.inf
