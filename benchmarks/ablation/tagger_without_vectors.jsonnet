// Without vectors of words and endings.
(import '../../training_config/tagger_lemmatizer.jsonnet') + {
  parts+:: { tagger_lemmatizer+: { word_vectors:: null, ending_vectors:: false } },
}
