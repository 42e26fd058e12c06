// The tag language model p(m) alone, as in Appendix A (paper, section 4.2 (1)).
(import 'appendix_a.libsonnet') + { part:: 'tag_lm' }
