"""A mean over things that batches hold in different numbers."""

import math

import torch
from allennlp.nn.util import dist_reduce_sum
from allennlp.training.metrics import Metric


@Metric.register("ratio")
class Ratio(Metric):
    """
    Sums numerators and denominators over batches and divides once, where `Average` would weigh a
    batch of three tokens like one of three hundred. A ratio with nothing below the line is 0.
    """

    def __init__(self) -> None:
        self._numerator = 0.0
        self._denominator = 0.0

    def __call__(self, numerator: torch.Tensor, denominator: torch.Tensor) -> None:
        self._numerator += float(dist_reduce_sum(float(numerator)))
        self._denominator += float(dist_reduce_sum(float(denominator)))

    def get_metric(self, reset: bool = False) -> float:
        ratio = self._numerator / self._denominator if self._denominator else 0.0
        if reset:
            self.reset()
        return ratio

    def reset(self) -> None:
        self._numerator = 0.0
        self._denominator = 0.0


def perplexity(nats: float) -> float:
    """exp(nats), infinite where a float cannot hold it."""
    try:
        return math.exp(nats)
    except OverflowError:
        return math.inf
