import torch
from allennlp.modules.matrix_attention import BilinearMatrixAttention

from allennlp_svae.modules.attention_decoder import AttentionDecoder


def make_decoder(num_layers: int = 1) -> AttentionDecoder:
    torch.manual_seed(0)
    return AttentionDecoder(3, 4, 5, BilinearMatrixAttention(5, 4), num_layers, dropout=0.5).eval()


def test_all_steps_at_once_equal_one_after_another() -> None:
    for num_layers in (1, 2):
        decoder = make_decoder(num_layers)
        inputs, memory = torch.randn(2, 6, 3), torch.randn(2, 7, 4)
        mask = torch.arange(7) < torch.tensor([[7], [3]])
        start = decoder.initial_state(memory[:, 0])
        states, _ = decoder.recur(inputs, start)
        at_once = decoder.attend(states, memory, mask)
        state = start
        for position in range(6):
            step, state = decoder.recur(inputs[:, position : position + 1], state)
            stepwise = decoder.attend(step, memory, mask)
            torch.testing.assert_close(stepwise[:, 0], at_once[:, position])


def test_attention_is_luongs() -> None:
    decoder = make_decoder()
    states, memory = torch.randn(1, 1, 5), torch.randn(1, 3, 4)
    weight = decoder._attention._weight_matrix
    scores = torch.stack([states[0, 0] @ weight @ memory[0, source] for source in range(3)])
    context = torch.softmax(scores, dim=0) @ memory[0]
    expected = torch.tanh(decoder._combine(torch.cat([context, states[0, 0]])))
    mask = torch.ones(1, 3, dtype=torch.bool)
    torch.testing.assert_close(decoder.attend(states, memory, mask)[0, 0], expected)


def test_masked_memory_is_not_seen() -> None:
    decoder = make_decoder()
    states, memory = torch.randn(1, 2, 5), torch.randn(1, 3, 4)
    mask = torch.tensor([[True, True, False]])
    changed = memory.clone()
    changed[0, 2] = 100.0
    torch.testing.assert_close(
        decoder.attend(states, memory, mask), decoder.attend(states, changed, mask)
    )


def test_weights_are_probabilities_of_places_however_low_the_scores() -> None:
    decoder = make_decoder()
    mask = torch.arange(7) < torch.tensor([[7], [3]])
    states, memory = torch.randn(2, 6, 5), torch.randn(2, 7, 4)
    for bias in (0.0, -100.0):
        decoder._attention._bias.data.fill_(bias)
        _, weights = decoder.attend_and_point(states, memory, mask)
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, 6))
        assert not weights[1, :, 3:].any()
        _, alone = decoder.attend_and_point(states[1:], memory[1:, :3], mask[1:, :3])
        torch.testing.assert_close(weights[1:, :, :3], alone)
