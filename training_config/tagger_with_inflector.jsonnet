// The tagger with prior and lemmatizer, and an inflector that is asked which lemmas and tags go with the form.
(import 'tagger_with_lemmatizer.jsonnet') + { asks_inflector:: true }
