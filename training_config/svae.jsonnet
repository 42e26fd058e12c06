// The structured VAE (paper, section 5): the inflector's own run, and wake-sleep around it.
(import 'svae.libsonnet') + (import 'wake_sleep.libsonnet') + {
  part:: 'inflector',
  word_weight:: 3.0,
}
