// The inference network q(l, m | f) alone (paper, section 5.5), with statistics of the raw text.
(import 'svae.libsonnet') + {
  part:: 'tagger_lemmatizer',
  vocabulary: $.treebank_vocabulary,
}
