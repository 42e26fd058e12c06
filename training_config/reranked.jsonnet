// The edit transducer on the labelled data, preferring among its best forms those that look like the raw text's words.
(import 'edit_transducer.jsonnet') + {
  vocabulary: $.treebank_vocabulary,
  model+: { ranker: { weight: 3.0 }, metric_beam_size: 5 },
}
