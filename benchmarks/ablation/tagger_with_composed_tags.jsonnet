// As many tags composed by analogy as were seen.
(import '../../training_config/tagger_lemmatizer.jsonnet') + { model+: { composed_tag_ratio: 1.0, pruning: [16] } }
