// The inference network q(l, m | f) alone (paper, section 5.5).
(import 'svae.libsonnet') + { part:: 'tagger_lemmatizer' }
