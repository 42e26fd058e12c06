// The tag language model p(m) alone, with the best settings known: one layer, tied embeddings, more dropout.
{
  local this = self,
  treebank:: 'fixtures/demo',
  labeled_tokens:: 500,
  seed:: 13370,

  random_seed: this.seed,
  numpy_seed: this.seed,
  pytorch_seed: this.seed,
  dataset_reader: { type: 'tag_sequences', labeled_tokens: this.labeled_tokens },
  train_data_path: this.treebank + '/train#labeled',
  validation_data_path: this.treebank + '/dev',
  datasets_for_vocab_creation: ['train'],
  model: {
    type: 'tag_lm',
    embedding_dim: 200,
    contextualizer: { type: 'lstm', input_size: 200, hidden_size: 200 },
    dropout: 0.4,
    tie_embeddings: true,
  },
  data_loader: { batch_size: 20, shuffle: true },
  validation_data_loader: { batch_sampler: { type: 'bucket', batch_size: 256, shuffle: false } },
  trainer: {
    num_epochs: 25,
    optimizer: { type: 'sgd', lr: 20 },
    grad_norm: 0.25,
    learning_rate_scheduler: { type: 'quarter_rate', quarter_when: 'no_improvement' },
    validation_metric: '-perplexity',
    cuda_device: -1,
  },
}
