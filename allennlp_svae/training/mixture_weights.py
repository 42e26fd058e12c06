"""
The weights of a mixture by maximum likelihood:

    argmax_w Σ_i log Σ_k w_k p_k(f_i | ℓ_i, m_i)

The components stay as they are, so this is a concave function of w on the simplex and EM (Dempster, Laird
and Rubin 1977) climbs to its maximum from any start in the inside.
"""

import torch
from allennlp.common.checks import ConfigurationError

# How far below the maximum the mean log-likelihood may be, in nats.
TOLERANCE = 1e-5


def fit_mixture_weights(log_probs: torch.Tensor) -> torch.Tensor:
    """
    # Parameters

    log_probs : `torch.Tensor`
        log p_k(f_i | ℓ_i, m_i) in nats; shape `(num_components, num_items)`. Items that no component can
        write say nothing about the weights and are left out.

    # Returns

    `torch.Tensor`
        Of double precision, summing to one; shape `(num_components,)`.

    # Raises

    `ConfigurationError` where no component can write any item.
    """
    log_probs = log_probs.double()
    log_probs = log_probs[:, log_probs.amax(dim=0) > -torch.inf]
    if log_probs.size(1) == 0:
        raise ConfigurationError(
            "No component gives any form of the validation data a probability, so there are no weights "
            "to fit. Remedy: check that it is data of the same language and tagset, or give `weights`."
        )
    # The scale of an item does not matter.
    probs = (log_probs - log_probs.amax(dim=0)).exp()
    weights = torch.full((len(probs),), 1.0 / len(probs), dtype=torch.double)
    while True:
        # The derivative by each weight, whose mean under the weights is one. The largest of them bounds what
        # is yet to be gained: L(w*) - L(w) ≤ log max_k g_k, by concavity.
        gradient = (probs / (weights @ probs)).mean(dim=1)
        if gradient.max().log() <= TOLERANCE:
            return weights / weights.sum()
        weights = weights * gradient
