// p(f | l, m) as a mixture of an edit transducer of three networks, which differ in their random start, and the affix
// rules, trained as one model.
(import 'edit_transducer.libsonnet') + {
  local part = self,
  local transducer = super.model,
  model: {
    type: 'inflection_mixture',
    components: [transducer { networks: std.repeat(transducer.networks, 3) }, { type: 'affix_rules' }],
    weights: [0.9, 0.1],
  },
  // Exact scores of several models take their time.
  trainer+: { callbacks: [part.validation, { type: 'calibrate', max_instances: 500 }] },
}
