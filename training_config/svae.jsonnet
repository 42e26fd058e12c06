// The structured VAE (paper, section 5): the inflector's own run, and wake-sleep around it.
(import 'svae.libsonnet') + (import 'wake_sleep.libsonnet') + {
  part:: 'inflector',
  word_weight:: 3.0,
  // Their passes are long: over the annotated text, and as often over the labelled.
  parts+:: { tag_lm+: { trainer+: { num_epochs: 10 } }, lemma_lm+: { trainer+: { num_epochs: 8 } } },
}
