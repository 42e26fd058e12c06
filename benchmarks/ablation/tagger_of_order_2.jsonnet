// Transitions look two tags back.
(import '../../training_config/tagger_lemmatizer.jsonnet') + { model+: { order: 2, pruning: [16, 6] } }
