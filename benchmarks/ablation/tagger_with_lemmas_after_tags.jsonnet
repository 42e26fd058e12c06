// Lemmas follow from tags.
(import '../../training_config/tagger_lemmatizer.jsonnet') + { model+: { type: 'crf_with_lemmas_after_tags' } }
