// The edit transducer on the labelled data, preferring among its best forms those that occur in the raw text.
(import 'edit_transducer.jsonnet') + {
  vocabulary: $.treebank_vocabulary,
  model+: { ranker: { weight: 4.0 }, metric_beam_size: 5 },
}
