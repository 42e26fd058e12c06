// Tags share weights by their part of speech alone.
(import '../../training_config/tagger_lemmatizer.jsonnet') + { model+: { type: 'crf_without_attributes' } }
