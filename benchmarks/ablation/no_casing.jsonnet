// The edit transducer for which capitals are characters like any other.
(import '../../training_config/edit_transducer.jsonnet') + { model+: { casing: false } }
