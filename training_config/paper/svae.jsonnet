// The structured VAE with the hyperparameters of Appendix A.
(import 'appendix_a.libsonnet') + (import '../wake_sleep.libsonnet') + {
  part:: 'inflector',
  wake_sleep:: {
    iterations: 2,
    gamma_sleep: 0.25,
    gamma_wake: 0.25,
    temperature: 0.75,
    annotation: 'sample',
  },
}
