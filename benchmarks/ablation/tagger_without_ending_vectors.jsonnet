// Without vectors of endings.
(import '../../training_config/tagger_lemmatizer.jsonnet') + { parts+:: { tagger_lemmatizer+: { ending_vectors:: false } } }
