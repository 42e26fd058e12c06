// The structured VAE (paper, section 5): the inflector's own run, and wake-sleep around it.
(import 'svae.libsonnet') + (import 'wake_sleep.libsonnet') + {
  part:: 'inflector',
  word_weight:: 3.0,
  networks:: if $.inflector == 'edit_transducer' then 2 else 1,
  prior:: true,  // what q is better at, the inflector learns
  // Dreams of known lemmas as often as there are: those of the language model alone made q worse than none.
  // Where q is in doubt, p is asked.
  model+: { lemma_memory: {}, inflector_weight: 0.3 },
  parts+:: {
    inflector+: { warm_start:: true },  // goes on from the iteration before: another pass tells it more than another start
    // The mean of what labelled data say and of what these and dreams say is better than either. Networks have no mean.
    tagger_lemmatizer+: { warm_start:: $.tagger == 'crf' && $.lemmatizer == 'edit_trees' },
    // Their passes are long: over the annotated text, and as often over the labelled.
    tag_lm+: { trainer+: { num_epochs: 10 } },
    lemma_lm+: { trainer+: { num_epochs: 8 } },
  },
}
