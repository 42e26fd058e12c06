// The lemma generator p(l | t) with the hyperparameters of the paper's Appendix A: 10000 updates,
// each on (up to 20000 lemmas, in practice) everything. A hundred of them are called an epoch here, so
// that there are a hundred validations, not ten thousand, and ten of those without a new best end it:
// on raw text the letter takes hours, and on 1000 tokens the best came after four.
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
    character_embedder: { embedding_dim: 5, vocab_namespace: 'characters' },
    pos_embedder: { embedding_dim: 5, vocab_namespace: 'pos' },
    contextualizer: { type: 'lstm', input_size: 10, hidden_size: 50 },
    dropout: 0.0,
  },
  data_loader: { batch_size: 20000, shuffle: true, batches_per_epoch: 100 },
  validation_data_loader: { batch_sampler: { type: 'bucket', batch_size: 256, shuffle: false } },
  trainer: {
    num_epochs: 100,
    patience: 10,
    optimizer: { type: 'sgd', lr: 4, weight_decay: 1e-6 },
    grad_norm: 1.0,
    validation_metric: '-bits_per_character',
    cuda_device: -1,
  },
}
