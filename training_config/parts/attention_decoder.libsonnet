// A recurrent decoder with multiplicative attention over the encoded lemma.
function(part, input_size) {
  input_size: input_size,
  memory_size: 2 * part.hidden_size,
  hidden_size: part.hidden_size,
  attention: {
    type: 'bilinear',
    matrix_1_dim: part.hidden_size,
    matrix_2_dim: 2 * part.hidden_size,
  },
  dropout: part.dropout,
}
