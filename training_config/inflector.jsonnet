// The inflector alone, with the best settings known for it: a fixed budget of updates, warmed up and decayed to
// zero, beats waiting for patience; the square root of the counts beats the counts.
local treebank = '../shared/ud/tr';
local embedding = 128;
local hidden = 128;
local dropout = 0.3;
local embedder(name) = {
  token_embedders: { [name]: { type: 'embedding', embedding_dim: embedding, vocab_namespace: name } },
};

{
  dataset_reader: { type: 'inflections', tagset: 'paper', labeled_tokens: 1000, count_power: 0.5 },
  train_data_path: treebank + '/train.conllu#labeled',
  validation_data_path: treebank + '/dev.conllu',
  test_data_path: treebank + '/test.conllu',
  datasets_for_vocab_creation: ['train'],
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
    batches_per_epoch: 250,
  },
  validation_data_loader: { batch_sampler: { type: 'bucket', batch_size: 512, sorting_keys: ['lemma'] } },
  trainer: {
    num_epochs: 6,
    optimizer: { type: 'adam', lr: 0.003 },
    learning_rate_scheduler: { type: 'polynomial_decay', warmup_steps: 100 },
    grad_norm: 5.0,
    validation_metric: '+inflection_accuracy',
  },
  evaluate_on_test: true,
}
