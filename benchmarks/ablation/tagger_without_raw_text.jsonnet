// Nothing that raw text tells.
(import '../../training_config/tagger_lemmatizer.jsonnet') + { parts+:: { tagger_lemmatizer+: { word_vectors:: null, word_statistics:: false } } }
