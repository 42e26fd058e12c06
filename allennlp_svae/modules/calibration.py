"""
How sure to be of each form that a search found: probabilities that are right as often as they say.

    P(f_i) = e^{β s_i} / (Σ_j e^{β s_j} + e^{β s_0 + b}),   s_i = log p(f_i | ℓ, m) + r_i

r is what a ranker adds. The form may also be none of those found, whose score is what they leave of the mass:
s_0 = log(1 - Σ_j p(f_j | ℓ, m)) + r̄, with the mean of r under p. With β = 1, b = 0 and without ranker P is p itself.
β is an inverse temperature (Guo et al., 2017).
"""

from typing import List, Optional, Sequence, Tuple

import numpy as np
import torch
from scipy.optimize import minimize

from allennlp_svae.modules.candidates import Candidates

# What the forms found leave is never taken to be less.
LEAST_MASS = 1e-6
# How far, before anything is seen, β is expected to be from 1 and b from 0.
PRIOR_DEVIATION = 1.0


class Calibration(torch.nn.Module):
    """β and b, which `fit` sets; part of a model's state."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("inverse_temperature", torch.ones(()))
        self.register_buffer("bias", torch.zeros(()))

    def forward(
        self,
        found: Sequence[Candidates],
        preferences: Sequence[Sequence[float]],
        calibrated: Optional[int] = None,
    ) -> List[List[float]]:
        """
        # Parameters

        found : `Sequence[Candidates]`
            Of each inflection the forms with log p(f | ℓ, m), best first.
        preferences : `Sequence[Sequence[float]]`
            Their scores s.
        calibrated : `int`, optional (default = all)
            How many of each are as those that `fit` was given. Any further ones share the probability that none of
            these is right: it would not be less for being looked into.

        # Returns

        `List[List[float]]`
            P of each form. What is missing to one is the probability that none of them is right.
        """
        if not found:
            return []
        parameters = torch.stack([self.inverse_temperature, self.bias]).double().cpu()
        first = [candidates[:calibrated] for candidates in found]
        logits = _logits(_scores(first, [row[:calibrated] for row in preferences]), parameters)
        probs = torch.softmax(logits, dim=1)
        if calibrated is not None and any(len(candidates) > calibrated for candidates in found):
            none, *others = _logits(_scores(found, preferences), parameters).split(
                [1, calibrated, max(map(len, found)) - calibrated], dim=1
            )
            further = torch.softmax(torch.cat([none, others[1]], dim=1), dim=1)
            probs = torch.cat([probs, probs[:, :1] * further[:, 1:]], dim=1)
        return [row[1 : 1 + len(one)] for row, one in zip(probs.tolist(), found, strict=True)]

    def fit(
        self,
        found: Sequence[Candidates],
        preferences: Sequence[Sequence[float]],
        gold: Sequence[str],
    ) -> None:
        """
        Maximizes the likelihood of the right answers, a concave function of β ≥ 0 and b, times a normal density of
        either: a few answers that are all right are no reason to be sure of any other.

        # Parameters

        found, preferences
            As in `forward`.
        gold : `Sequence[str]`
            The right forms.
        """
        scores = _scores(found, preferences)
        # Place 0 is for "none of these".
        answers = torch.tensor(
            [
                ["", *(form for form, _ in one)].index(form, 1) if form in dict(one) else 0
                for one, form in zip(found, gold, strict=True)
            ]
        )
        before = torch.tensor([1.0, 0.0], dtype=torch.double)

        def loss(values: np.ndarray) -> Tuple[float, np.ndarray]:
            parameters = torch.tensor(values, requires_grad=True)
            logits = _logits(scores, parameters)
            value = torch.nn.functional.cross_entropy(logits, answers, reduction="sum")
            value = value + 0.5 * ((parameters - before) / PRIOR_DEVIATION).square().sum()
            value.backward()
            assert parameters.grad is not None
            return value.item(), parameters.grad.numpy()

        bounds = [(0.0, None), (None, None)]
        best = minimize(loss, before.numpy(), jac=True, method="L-BFGS-B", bounds=bounds)
        inverse_temperature, bias = best.x
        self.inverse_temperature.fill_(inverse_temperature)
        self.bias.fill_(bias)


def _logits(scores: torch.Tensor, parameters: torch.Tensor) -> torch.Tensor:
    nothing = torch.isneginf(scores)
    # Infinite scores would have no gradient.
    scaled = parameters[0] * scores.masked_fill(nothing, 0.0)
    logits = torch.cat([scaled[:, :1] + parameters[1], scaled[:, 1:]], dim=1)
    return logits.masked_fill(nothing, -torch.inf)


def _scores(found: Sequence[Candidates], preferences: Sequence[Sequence[float]]) -> torch.Tensor:
    """s_0, s_1, …, -inf where there is no candidate; shape `(num_inflections, 1 + most_candidates)`."""
    log_probs = _padded([[score for _, score in candidates] for candidates in found])
    scores = _padded(preferences)
    probs = log_probs.exp()
    added = torch.where(probs > 0, scores - log_probs, 0.0)
    mean = (probs * added).sum(dim=1) / probs.sum(dim=1).clamp(min=LEAST_MASS)
    rest = (1.0 - probs.sum(dim=1)).clamp(min=LEAST_MASS).log() + mean
    return torch.cat([rest.unsqueeze(1), scores], dim=1)


def _padded(rows: Sequence[Sequence[float]]) -> torch.Tensor:
    """With -inf, to the length of the longest; shape `(num_rows, length)`."""
    length = max(map(len, rows))
    return torch.tensor(
        [[*row, *[-torch.inf] * (length - len(row))] for row in rows], dtype=torch.double
    )
