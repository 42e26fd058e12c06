import torch
from allennlp.modules.matrix_attention import BilinearMatrixAttention

from allennlp_svae.modules.attention_decoder import AttentionDecoder
from allennlp_svae.modules.pointer_decoder import PointerDecoder

MASK = torch.arange(7) < torch.tensor([[7], [3]])


def make_decoder() -> PointerDecoder:
    torch.manual_seed(0)
    return PointerDecoder(3, 4, 5, BilinearMatrixAttention(5, 4), dropout=0.5).eval()


def test_reads_as_the_attention_decoder_does() -> None:
    decoder = make_decoder()
    states, memory = torch.randn(2, 6, 5), torch.randn(2, 7, 4)
    read, weights = decoder.attend_and_point(states, memory, MASK)
    torch.testing.assert_close(read, AttentionDecoder.attend(decoder, states, memory, MASK))
    torch.testing.assert_close(read, decoder.attend(states, memory, MASK))
    assert weights.shape == (2, 6, 7)


def test_weights_are_probabilities_of_places_however_low_the_scores() -> None:
    decoder = make_decoder()
    states, memory = torch.randn(2, 6, 5), torch.randn(2, 7, 4)
    for bias in (0.0, -100.0):
        decoder._attention._bias.data.fill_(bias)
        _, weights = decoder.attend_and_point(states, memory, MASK)
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, 6))
        assert not weights[1, :, 3:].any()
        _, alone = decoder.attend_and_point(states[1:], memory[1:, :3], MASK[1:, :3])
        torch.testing.assert_close(weights[1:, :, :3], alone)
