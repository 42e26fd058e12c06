// Candidates are pruned by a chain over parts of speech before full tags are.
(import '../../training_config/tagger_lemmatizer.jsonnet') + { model+: { pos_pruning: 3 } }
