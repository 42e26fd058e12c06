// The edit transducer on the labelled data, preferring among its best forms those that look like the raw text's words.
(import 'edit_transducer.jsonnet') + {
  word_weight:: 3.0,
  vocabulary: $.treebank_vocabulary,
}
