// A neural inference network q(l, m | f) alone, which can answer with tags that the labelled data do not have.
(import 'tagger_lemmatizer.jsonnet') + { tagger:: 'neural' }
