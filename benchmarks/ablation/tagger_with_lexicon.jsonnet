// With a lexicon as good as can be: the words of the whole training file with their annotation.
(import '../../training_config/tagger_lemmatizer.jsonnet') + { lexicon:: $.treebank + '/train' }
