// A neural inference network q(l, m | f) alone, which can answer with tags that the labelled data do not have.
(import 'svae.libsonnet') + {
  part:: 'tagger_lemmatizer',
  vocabulary: $.treebank_vocabulary,
  parts+:: { tagger_lemmatizer: import 'parts/neural_tagger_lemmatizer.libsonnet' },
}
