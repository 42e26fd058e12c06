// The structured VAE whose inflector has two networks.
(import '../../training_config/svae.jsonnet') + { networks:: 2 }
