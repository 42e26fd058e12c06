// The lemma language model p(l | t) alone, as in Appendix A (paper, section 4.2 (2)).
(import 'appendix_a.libsonnet') + { part:: 'lemma_lm' }
