// Finished archives as one p(f | l, m), each with its own vocabulary; of an svae, its inflector. Nothing is
// trained but the weights, and the archive that this makes needs the others no more.
(import 'svae.libsonnet') + {
  archives:: ['runs/edit_transducer/model.tar.gz', 'runs/fst/model.tar.gz'],  // all of this `tagset`
  own_fields:: ['archives', 'weights'],
  weights:: 'fit',  // a positive number for each archive; null: all the same; 'fit': likeliest on dev

  part:: 'inflector',
  local fit = $.weights == 'fit',
  model: {
    type: 'inflection_mixture',
    components: [{ type: 'archived_inflector' } for archive in $.archives],
    weights: if fit then null else $.weights,
    initializer: { archives: $.archives, tagset: $.tagset },
  },
  // What lemmas and tags the metrics count as seen is read off the labelled data.
  data_loader: { batch_size: 512 },
  trainer: { type: 'mixture', fit_weights: fit },
}
