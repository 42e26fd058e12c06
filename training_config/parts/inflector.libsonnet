// p(f | l, m): bidirectional GRU over tag and lemma, GRU decoder with multiplicative attention.
local embedding = 128;
local hidden = 128;
local dropout = 0.3;
local embedder(name) = {
  token_embedders: { [name]: { type: 'embedding', embedding_dim: embedding, vocab_namespace: name } },
};
{
  reader: { type: 'inflections', count_power: 0.5 },
  model: {
    type: 'inflector',
    lemma_embedder: embedder('characters'),
    tag_embedder: embedder('tag_parts'),
    encoder: { type: 'gru', input_size: embedding, hidden_size: hidden, bidirectional: true },
    decoder: {
      input_size: embedding,
      memory_size: 2 * hidden,
      hidden_size: hidden,
      attention: { type: 'bilinear', matrix_1_dim: hidden, matrix_2_dim: 2 * hidden },
      dropout: dropout,
    },
    dropout: dropout,
    beam_search: { beam_size: 3, max_steps: 80 },
    metric_beam_size: 1,
  },
  data_loader: {
    batch_sampler: { type: 'bucket', batch_size: 32, sorting_keys: ['form', 'lemma'] },
    batches_per_epoch: 100,
  },
  trainer: {
    num_epochs: 3,
    optimizer: { type: 'adam', lr: 0.003 },
    validation_metric: '+inflection_accuracy',
    cuda_device: -1,
  },
}
