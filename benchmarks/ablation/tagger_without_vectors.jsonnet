// Without vectors of words.
(import '../../training_config/tagger_lemmatizer.jsonnet') + { parts+:: { tagger_lemmatizer+: { word_vectors:: null } } }
