"""What the language models over tags and characters share: likelihood and ancestral sampling."""

import math
from contextlib import contextmanager
from typing import Callable, Iterator, List

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.modules.seq2seq_encoders import PytorchSeq2SeqWrapper, Seq2SeqEncoder


def check_is_left_to_right(contextualizer: Seq2SeqEncoder) -> None:
    """Raises `ConfigurationError` unless `contextualizer` sees only the past and can be stepped."""
    if not isinstance(contextualizer, PytorchSeq2SeqWrapper) or contextualizer.is_bidirectional():
        raise ConfigurationError(
            "The `contextualizer` of a language model must be a recurrent network that reads left "
            "to right (`lstm`, `gru`, `rnn`; not bidirectional): a symbol depends on those before."
        )


def negative_log_likelihood(
    logits_of: Callable[[torch.Tensor], torch.Tensor],
    hidden: torch.Tensor,
    targets: torch.Tensor,
    scored: torch.Tensor,
) -> torch.Tensor:
    """
    -Σ_j log p(x_j | x_{<j}) over the scored positions of each sequence, in nats. Only those get
    logits: in a wide batch padding is most of it.

    # Parameters

    logits_of : `Callable[[torch.Tensor], torch.Tensor]`
        From hidden states of shape (n, hidden_dim) to logits of shape (n, num_symbols); -inf for a
        symbol that is never predicted.
    hidden : `torch.Tensor`
        Shape (batch_size, length, hidden_dim).
    targets : `torch.Tensor`
        Shape (batch_size, length); anything where not scored.
    scored : `torch.Tensor`
        Which positions count; shape (batch_size, length).

    # Returns

    Shape (batch_size,).
    """
    nll = torch.nn.functional.cross_entropy(
        logits_of(hidden[scored]), targets[scored], reduction="none"
    )
    return hidden.new_zeros(scored.shape).masked_scatter(scored, nll).sum(-1)


@contextmanager
def remembering(contextualizer: Seq2SeqEncoder) -> Iterator[None]:
    """
    Lets a recurrent network carry its state from call to call, from a blank state to a blank state.
    """
    was_stateful = contextualizer.stateful
    contextualizer.stateful = True
    contextualizer.reset_states()
    try:
        yield
    finally:
        contextualizer.reset_states()
        contextualizer.stateful = was_stateful


def sample_sequences(
    contextualizer: Seq2SeqEncoder,
    embed: Callable[[torch.Tensor], torch.Tensor],
    logits_of: Callable[[torch.Tensor], torch.Tensor],
    start: torch.Tensor,
    end: int,
    temperature: float,
    max_length: int,
) -> List[List[int]]:
    """
    Draws one sequence x a row, x_j ~ p(· | x_{<j})^(1/temperature) renormalized, with torch's
    global generator. An empty sequence is never drawn: END is left out of the first step, which is
    the same as drawing again until there is something. A sequence of `max_length` symbols ends
    there.

    # Parameters

    contextualizer : `Seq2SeqEncoder`
        Advanced one symbol at a time.
    embed : `Callable[[torch.Tensor], torch.Tensor]`
        From the last symbols, of shape (batch_size,), to inputs of shape (batch_size, input_dim).
    logits_of : `Callable[[torch.Tensor], torch.Tensor]`
        From hidden states of shape (n, hidden_dim) to logits of shape (n, num_symbols).
    start : `torch.Tensor`
        The start symbol of each row; shape (batch_size,).
    end : `int`
        The end symbol.
    temperature : `float`
        1 samples from p, less is more conservative; above 0.
    max_length : `int`

    # Returns

    Symbols without start and end, a list a row.

    # Raises

    `ValueError` where `temperature` is not above 0 or `max_length` is below 1.
    """
    if not temperature > 0:
        raise ValueError(f"The sampling temperature must be above 0, and it is {temperature}.")
    if max_length < 1:
        raise ValueError(f"The maximal length must be at least 1, and it is {max_length}.")
    if not len(start):
        return []
    last = start
    alive = torch.ones_like(start, dtype=torch.bool)
    steps: List[torch.Tensor] = []
    with remembering(contextualizer):
        while alive.any() and len(steps) < max_length:
            # Shape: (batch_size, hidden_dim); rows that have ended are skipped by the mask.
            hidden = contextualizer(embed(last).unsqueeze(1), alive.unsqueeze(1)).squeeze(1)
            logits = logits_of(hidden[alive])
            if not steps:
                logits[:, end] = -math.inf
            drawn = torch.multinomial(torch.softmax(logits / temperature, -1), 1).squeeze(1)
            last = torch.full_like(last, end).masked_scatter(alive, drawn)
            alive = last != end
            steps.append(last)
    # Shape: (batch_size, longest)
    symbols = torch.stack(steps, 1)
    lengths = (symbols != end).sum(-1)
    return [row[:length] for row, length in zip(symbols.tolist(), lengths.tolist(), strict=True)]
