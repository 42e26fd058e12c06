// The structured VAE with the hyperparameters of Appendix A.
(import 'appendix_a.libsonnet') + (import '../wake_sleep.libsonnet') + {
  part:: 'inflector',
  wake_sleep+:: { annotation: 'sample', temperature: 0.75, min_confidence: 0.0 },
}
