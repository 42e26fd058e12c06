// The inflector p(f | l, m) alone: the NN baseline (paper, section 4.2 (3)).
(import 'svae.libsonnet') + { part:: 'inflector' }
