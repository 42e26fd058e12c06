// Two edit transducers as one, on the labelled data, preferring among its best forms those that look like the words of
// all the text.
(import 'edit_transducer.jsonnet') + {
  networks:: 2,
  word_weight:: 3.0,
  vocabulary: $.treebank_vocabulary,
}
