// The inflector p(f | l, m) alone, as in Appendix A: the NN baseline (paper, section 4.2 (3)).
(import 'appendix_a.libsonnet') + { part:: 'inflector' }
