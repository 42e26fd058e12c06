// The paper's inflector p(f | l, m) alone: the NN baseline (section 4.2 (3)).
(import 'svae.libsonnet') + { part:: 'inflector', inflector:: 'attentional' }
