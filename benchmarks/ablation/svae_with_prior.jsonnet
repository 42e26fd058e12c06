// The structured VAE whose tagger-lemmatizer has a prior of lemmas and tags.
(import '../../training_config/svae.jsonnet') + { prior:: true }
