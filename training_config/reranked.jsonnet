// The edit transducer on the labelled data, preferring among its best forms those that look like the words of all the text.
(import 'edit_transducer.jsonnet') + {
  word_weight:: 3.0,
  vocabulary: $.treebank_vocabulary,
}
