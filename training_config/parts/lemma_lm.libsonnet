// p(l | t): a character LSTM that is told the part of speech. Wider than the paper's, with dropout and a short budget.
{
  local part = self,
  character_dim:: 32,
  pos_dim:: 16,
  hidden_size:: 128,
  dropout:: 0.5,

  reader: { type: 'lemmas' },
  model: {
    type: 'lemma_lm',
    character_embedder: { embedding_dim: part.character_dim, vocab_namespace: 'characters' },
    pos_embedder: { embedding_dim: part.pos_dim, vocab_namespace: 'pos' },
    contextualizer: {
      type: 'lstm',
      input_size: part.character_dim + part.pos_dim,
      hidden_size: part.hidden_size,
    },
    dropout: part.dropout,
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 16, sorting_keys: ['lemma'] } },
  trainer: {
    num_epochs: 20,
    optimizer: { type: 'adam', lr: 0.01 },
    grad_norm: 1.0,
    learning_rate_scheduler: { type: 'slanted_triangular', cut_frac: 0.1 },
    validation_metric: '-bits_per_character',
  },
}
