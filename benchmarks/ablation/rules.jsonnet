// One edit transducer and the affix rules.
(import '../../training_config/edit_transducer.jsonnet') + {
  local transducer = super.model,
  model: {
    type: 'inflection_mixture',
    components: [transducer + { metric_beam_size: 5 }, { type: 'affix_rules' }],
    weights: [0.9, 0.1],
  },
}
