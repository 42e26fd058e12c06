// One edit transducer that learns from the labelled data and from what a teacher predicts for its lemmas and
// tags in combinations old and new: a single model's work where the ensemble has several to do.
(import 'edit_transducer.jsonnet') + {
  teacher:: 'runs/ensemble/model.tar.gz',  // any archive with an inflector, of this `tagset`
  new_pairs:: 300,  // how many lemmas with tags that they were not seen with
  num_forms:: 5,  // of each lemma and tag, at most
  sampled:: false,  // whether they are drawn from the teacher instead of its likeliest
  own_fields:: ['teacher', 'new_pairs', 'num_forms', 'sampled', 'gamma'],
  gamma:: 1.0,  // weight of the teacher's predictions, where that of the labelled data is 1

  // There is more to learn from, so it takes longer.
  parts+:: { inflector+: { updates_per_epoch:: 2 * super.updates_per_epoch } },

  data_loader+: {
    type: 'distilled',
    teacher: $.teacher,
    new_pairs: $.new_pairs,
    num_forms: $.num_forms,
    sampled: $.sampled,
    gamma: $.gamma,
    seed: $.seed,
  },
}
