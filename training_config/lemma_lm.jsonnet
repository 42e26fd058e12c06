// The lemma language model p(l | t) alone, with the best settings known: wider, dropout, a short budget.
{
  local this = self,
  treebank:: 'fixtures/demo',
  labeled_tokens:: 500,
  seed:: 13370,

  random_seed: this.seed,
  numpy_seed: this.seed,
  pytorch_seed: this.seed,
  dataset_reader: { type: 'lemmas', labeled_tokens: this.labeled_tokens },
  train_data_path: this.treebank + '/train#labeled',
  validation_data_path: this.treebank + '/dev',
  datasets_for_vocab_creation: ['train'],
  model: {
    type: 'lemma_lm',
    character_embedder: { embedding_dim: 32, vocab_namespace: 'characters' },
    pos_embedder: { embedding_dim: 16, vocab_namespace: 'pos' },
    contextualizer: { type: 'lstm', input_size: 48, hidden_size: 128 },
    dropout: 0.5,
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 16, sorting_keys: ['lemma'] } },
  validation_data_loader: { batch_sampler: { type: 'bucket', batch_size: 256, shuffle: false } },
  trainer: {
    num_epochs: 20,
    optimizer: { type: 'adam', lr: 0.01 },
    grad_norm: 1.0,
    learning_rate_scheduler: { type: 'slanted_triangular', cut_frac: 0.1 },
    validation_metric: '-bits_per_character',
    cuda_device: -1,
  },
}
