// The lemma language model p(l | t) alone (paper, section 4.2 (2)).
(import 'svae.libsonnet') + { part:: 'lemma_lm' }
