import math
from collections import Counter
from typing import List

import pytest
import torch
from allennlp.common.checks import ConfigurationError
from allennlp.modules.seq2seq_encoders import (
    GruSeq2SeqEncoder,
    LstmSeq2SeqEncoder,
    PassThroughEncoder,
    Seq2SeqEncoder,
)

from allennlp_svae.modules.language_modeling import (
    check_is_left_to_right,
    negative_log_likelihood,
    sample_sequences,
)

END = 0
START = 3


def sample(
    contextualizer: Seq2SeqEncoder, count: int, temperature: float = 1.0, max_length: int = 5
) -> List[List[int]]:
    """Symbols 1 and 2 and END from a network whose weights are drawn from a fixed seed."""
    torch.manual_seed(0)
    embedding = torch.randn(4, 4)
    projection = 2 * torch.randn(4, 3)
    for parameter in contextualizer.parameters():
        torch.nn.init.normal_(parameter)
    torch.manual_seed(1)
    with torch.no_grad():
        return sample_sequences(
            contextualizer,
            lambda last: embedding[last],
            lambda hidden: hidden @ projection,
            torch.full((count,), START),
            END,
            temperature,
            max_length,
        )


@pytest.mark.parametrize("encoder_class", [LstmSeq2SeqEncoder, GruSeq2SeqEncoder])
@pytest.mark.parametrize("num_layers", [1, 2])
def test_sequences_are_neither_empty_nor_too_long(encoder_class: type, num_layers: int) -> None:
    sampled = sample(encoder_class(4, 4, num_layers), 300)
    assert len(sampled) == 300
    assert {len(sequence) for sequence in sampled} <= set(range(1, 6))
    assert len({tuple(sequence) for sequence in sampled}) > 3
    assert all(symbol in (1, 2) for sequence in sampled for symbol in sequence)


def test_rows_do_not_disturb_each_other() -> None:
    """Cold, every row is the greedy sequence, whatever ends before it."""
    assert len({tuple(row) for row in sample(LstmSeq2SeqEncoder(4, 4), 20, 1e-4)}) == 1
    hot = Counter(len(row) for row in sample(LstmSeq2SeqEncoder(4, 4), 500, 1e4, 3))
    # Uniform: the first step is no END, so a third ends after one symbol, two ninths after two.
    assert hot[1] / 500 == pytest.approx(1 / 3, abs=0.08)
    assert hot[2] / 500 == pytest.approx(2 / 9, abs=0.08)


def test_leaves_the_contextualizer_as_it_was() -> None:
    contextualizer = LstmSeq2SeqEncoder(4, 4)
    sample(contextualizer, 5)
    assert not contextualizer.stateful
    inputs, mask = torch.randn(2, 3, 4), torch.ones(2, 3, dtype=torch.bool)
    torch.testing.assert_close(contextualizer(inputs, mask), contextualizer(inputs, mask))
    with pytest.raises(RuntimeError, match="stop"):
        sample_sequences(contextualizer, _fail, _fail, torch.full((2,), START), END, 1.0, 3)
    assert not contextualizer.stateful


def _fail(_: torch.Tensor) -> torch.Tensor:
    raise RuntimeError("stop")


def test_nothing_asked_nothing_drawn() -> None:
    assert sample(LstmSeq2SeqEncoder(4, 4), 0) == []


@pytest.mark.parametrize(
    ("temperature", "max_length"), [(0.0, 5), (-1.0, 5), (math.nan, 5), (1.0, 0)]
)
def test_impossible_requests_are_refused(temperature: float, max_length: int) -> None:
    with pytest.raises(ValueError, match="must be"):
        sample(LstmSeq2SeqEncoder(4, 4), 1, temperature, max_length)


def test_only_recurrent_left_to_right_contextualizers() -> None:
    check_is_left_to_right(GruSeq2SeqEncoder(4, 4))
    for wrong in (LstmSeq2SeqEncoder(4, 4, bidirectional=True), PassThroughEncoder(4)):
        with pytest.raises(ConfigurationError, match="left to right"):
            check_is_left_to_right(wrong)


def test_likelihood_sums_over_scored_positions() -> None:
    logits = torch.randn(2, 3, 5)
    logits[..., 4] = -math.inf
    targets = torch.tensor([[0, 1, 4], [2, 9, 3]])
    scored = torch.tensor([[True, True, False], [True, False, True]])
    nll = negative_log_likelihood(lambda hidden: hidden, logits, targets, scored)
    log_p = torch.log_softmax(logits, -1)
    expected = [-(log_p[0, 0, 0] + log_p[0, 1, 1]), -(log_p[1, 0, 2] + log_p[1, 2, 3])]
    torch.testing.assert_close(nll, torch.stack(expected))
