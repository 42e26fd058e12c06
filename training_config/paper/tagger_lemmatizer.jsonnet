// The inference network q(l, m | f) alone, as in Appendix A (paper, section 5.5).
(import 'appendix_a.libsonnet') + { part:: 'tagger_lemmatizer' }
