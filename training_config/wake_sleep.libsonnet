// What makes the SVAE of the inflector's run: the composite model, its reader and vocabulary, the callback.
{
  // Best known: of the best annotation of each sentence the inflector learns what q is sure of.
  wake_sleep:: { iterations: 2, gamma_sleep: 0.25, gamma_wake: 0.25, annotation: 'best', min_confidence: 0.7 },
  // Nested trainers are silent and leave checking to the outer one.
  nested:: {
    enable_default_callbacks: false,
    run_confidence_checks: false,
    checkpointer: { type: 'atomic', keep_most_recent_by_count: 1 },
  },

  local each(field) = { [name]: $.parts[name][field] for name in std.objectFields($.parts) },
  dataset_reader: { type: 'svae', part: 'inflector', parts: each('reader') } + $.reading,
  vocabulary: $.treebank_vocabulary,
  model: { type: 'svae' } + each('model'),
  trainer+: {
    callbacks: [{
      type: 'wake_sleep',
      unlabeled: $.unlabeled_paths,
      seed: $.seed,
      parts: {
        [name]: {
          trainer: $.nested + $.parts[name].trainer,
          [if std.get($.parts[name], 'warm_start', false) then 'warm_start']: true,
          // More data than the part alone has: an epoch is a pass, if that is longer.
          data_loader: {
            batch_sampler: $.parts[name].data_loader.batch_sampler,
            min_batches_per_epoch: std.get($.parts[name].data_loader, 'batches_per_epoch', 1),
          },
        }
        for name in std.objectFields($.parts)
      },
    } + $.wake_sleep] + std.get($.parts.inflector.trainer, 'callbacks', []),
  },
}
