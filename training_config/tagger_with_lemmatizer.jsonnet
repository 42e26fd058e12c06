// The tagger with prior, and beside its edit trees a transducer that writes lemmas character by character.
(import 'tagger_with_prior.jsonnet') + { lemmatizer:: 'transducer' }
