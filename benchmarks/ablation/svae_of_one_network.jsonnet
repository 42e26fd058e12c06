// The structured VAE whose inflector has one network.
(import '../../training_config/svae.jsonnet') + { networks:: 1 }
