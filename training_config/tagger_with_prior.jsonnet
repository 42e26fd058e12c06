// The CRF tagger-lemmatizer, which prefers the lemmas that it knows and those that look like words of the text.
(import 'tagger_lemmatizer.jsonnet') + { prior:: true }
