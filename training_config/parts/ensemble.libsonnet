// p(f | l, m) as a mixture of three edit transducers, which differ in their random start, and the affix rules.
(import 'edit_transducer.libsonnet') + {
  local part = self,
  local transducer = super.model,
  model: {
    type: 'inflection_mixture',
    components: [transducer, transducer, transducer, { type: 'affix_rules' }],
    weights: [0.3, 0.3, 0.3, 0.1],
  },
  // Exact scores of several models take their time.
  trainer+: { callbacks: [part.validation, { type: 'calibrate', max_instances: 500 }] },
}
