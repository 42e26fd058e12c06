// p(l | t): a character LSTM that is told the part of speech.
{
  reader: { type: 'lemmas', count_power: 0.5 },
  model: {
    type: 'lemma_lm',
    character_embedder: { embedding_dim: 32, vocab_namespace: 'characters' },
    pos_embedder: { embedding_dim: 16, vocab_namespace: 'pos' },
    contextualizer: { type: 'lstm', input_size: 48, hidden_size: 128 },
    dropout: 0.2,
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 64, sorting_keys: ['lemma'] } },
  trainer: {
    num_epochs: 3,
    optimizer: { type: 'adam', lr: 0.003 },
    validation_metric: '-bits_per_character',
    cuda_device: -1,
  },
}
