// The structured VAE whose tagger-lemmatizer has no prior of lemmas and tags.
(import '../../training_config/svae.jsonnet') + { prior:: false }
