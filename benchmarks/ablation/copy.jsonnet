// Soft attention that generates or copies characters that it knows.
(import '../../training_config/pointer_generator.jsonnet') + { model+: { unseen_rate: 0.0 } }
