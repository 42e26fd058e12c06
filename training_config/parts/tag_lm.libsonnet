// p(m): an LSTM over whole tags, embedded by their parts. One layer, tied embeddings and more dropout than the
// paper's: less perplexity from few sentences.
{
  local part = self,
  embedding_dim:: 200,
  num_layers:: 1,
  dropout:: 0.4,

  reader: { type: 'tag_sequences' },
  model: {
    type: 'tag_lm',
    embedding_dim: part.embedding_dim,
    contextualizer: {
      type: 'lstm',
      input_size: part.embedding_dim,
      hidden_size: part.embedding_dim,
      num_layers: part.num_layers,
    },
    dropout: part.dropout,
    tie_embeddings: true,
  },
  // Nearly in random order: batches of one length cost a point of perplexity.
  data_loader: {
    batch_sampler: { type: 'bucket', batch_size: 20, sorting_keys: ['tags'], padding_noise: 1.0 },
  },
  trainer: {
    num_epochs: 25,
    optimizer: { type: 'sgd', lr: 20 },
    grad_norm: 0.25,
    learning_rate_scheduler: { type: 'quarter_rate', quarter_when: 'no_improvement' },
    validation_metric: '-perplexity',
  },
}
