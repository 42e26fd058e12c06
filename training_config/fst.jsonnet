// The paper's FST baseline (section 7.4): affix rules read off the labelled inflections in one pass.
(import 'svae.libsonnet') + {
  part:: 'inflector',
  model: { type: 'affix_rules' },
  data_loader: { batch_size: 512 },
  trainer: {
    num_epochs: 1,
    // There is nothing for it to move; the trainer wants one.
    optimizer: { type: 'sgd', lr: 0.0 },
    validation_metric: '+inflection_accuracy',
    callbacks: [{ type: 'calibrate' }],
  },
}
