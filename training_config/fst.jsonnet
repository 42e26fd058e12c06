// The paper's FST baseline: affix rules read off the labelled inflections in one pass.
local treebank = '../shared/ud/tr';

{
  dataset_reader: { type: 'inflections', tagset: 'paper', labeled_tokens: 1000 },
  train_data_path: treebank + '/train.conllu#labeled',
  validation_data_path: treebank + '/dev.conllu',
  test_data_path: treebank + '/test.conllu',
  datasets_for_vocab_creation: ['train'],
  model: { type: 'affix_rules' },
  data_loader: { batch_size: 512 },
  trainer: {
    num_epochs: 1,
    // There is nothing for it to move; the trainer wants one.
    optimizer: { type: 'sgd', lr: 0.0 },
    validation_metric: '+inflection_accuracy',
  },
  evaluate_on_test: true,
}
