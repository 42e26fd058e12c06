// The CRF tagger-lemmatizer, and beside its edit trees a transducer that writes lemmas character by character.
(import 'tagger_lemmatizer.jsonnet') + { lemmatizer:: 'transducer' }
