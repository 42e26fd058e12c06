// The edit transducer with half as much again of hallucinated stems.
(import '../../training_config/edit_transducer.jsonnet') + {
  data_loader+: { type: 'augmented', hallucinated: 0.5, seed: $.seed },
}
