// q(l, m | f): a joint CRF. Its weights are sparse, so its optimizer must take sparse gradients.
{
  reader: { type: 'tagged_sentences' },
  model: { type: 'crf_tagger_lemmatizer' },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 2, sorting_keys: ['tokens'] } },
  trainer: {
    num_epochs: 10,
    optimizer: { type: 'adagrad', lr: 0.15, initial_accumulator_value: 0.1 },
    moving_average: { type: 'polynomial_decay' },
    validation_metric: '+joint_accuracy',
    // q by itself is too sure: it holds that no tag is missing from its training data.
    callbacks: [{ type: 'calibrate', max_instances: 500 }],
  },
}
