import torch
from allennlp.modules.matrix_attention import BilinearMatrixAttention

from allennlp_svae.modules.edit_decoder import EditDecoder

BATCH, LENGTH, STEPS, PARTS, ACTIONS, HIDDEN = 3, 5, 7, 4, 6, 8
ACTION, MEMORY, TAG = 2, 4, 3


def test_steps_one_by_one_are_the_whole_sequence() -> None:
    torch.manual_seed(0)
    attention = BilinearMatrixAttention(HIDDEN, TAG)
    decoder = EditDecoder(ACTION, MEMORY, TAG, HIDDEN, attention, dropout=0.5).eval()
    table, memory = torch.randn(ACTIONS, ACTION), torch.randn(BATCH, LENGTH, MEMORY)
    tag, parts = torch.randn(BATCH, TAG), torch.randn(BATCH, PARTS, TAG)
    parts_mask = torch.rand(BATCH, PARTS) > 0.3
    actions = torch.randint(ACTIONS, (BATCH, STEPS))
    pointers = torch.randint(LENGTH, (BATCH, STEPS))
    visited = memory.gather(1, pointers.unsqueeze(-1).expand(-1, -1, MEMORY))
    expected = decoder(table[actions], visited, tag, parts, parts_mask)

    prepared = decoder.prepare(table, memory, tag, parts, parts_mask)
    # Hypotheses need not be in the order of their lemmas.
    rows = torch.tensor([2, 0, 1, 0])
    state = decoder.initial_state(len(rows))
    for step in range(STEPS):
        at = rows, actions[rows, step], pointers[rows, step]
        hidden, state = decoder.step(prepared, *at, state)
        torch.testing.assert_close(hidden, expected[rows, step], atol=1e-5, rtol=1e-4)


def test_a_tag_without_parts() -> None:
    decoder = EditDecoder(ACTION, MEMORY, TAG, HIDDEN, BilinearMatrixAttention(HIDDEN, TAG))
    actions, memory = torch.randn(1, STEPS, ACTION), torch.randn(1, STEPS, MEMORY)
    tag, nothing = torch.zeros(1, TAG), torch.zeros(1, PARTS, dtype=torch.bool)
    hidden = decoder(actions, memory, tag, torch.zeros(1, PARTS, TAG), nothing)
    # As with one part that is zero: there is nothing to attend to.
    one = torch.ones(1, 1, dtype=torch.bool)
    torch.testing.assert_close(hidden, decoder(actions, memory, tag, torch.zeros(1, 1, TAG), one))
