// The paper's neural inflector, to the letter of Appendix A: one GRU layer each way, multiplicative
// attention, embeddings of 200, hidden size 100, dropout .5, 250 iterations of AdaDelta, beam 3.
// The appendix leaves open the batch size (20 here) and where dropout goes: on embeddings, the encoded
// source and the attentional state here.
local treebank = '../shared/ud/tr';
local embedding = 200;
local hidden = 100;
local dropout = 0.5;
local embedder(name) = {
  token_embedders: { [name]: { type: 'embedding', embedding_dim: embedding, vocab_namespace: name } },
};

{
  dataset_reader: { type: 'inflections', tagset: 'paper', labeled_tokens: 1000 },
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
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 20, sorting_keys: ['form', 'lemma'] } },
  validation_data_loader: { batch_sampler: { type: 'bucket', batch_size: 512, sorting_keys: ['lemma'] } },
  trainer: {
    num_epochs: 250,
    optimizer: { type: 'adadelta' },
    validation_metric: '+inflection_accuracy',
  },
  evaluate_on_test: true,
}
