// What makes the SVAE of the inflector's run: the composite model, its reader and vocabulary, the callback.
local nested = import 'nested.libsonnet';
{
  assert $.asks_inflector != true : 'an svae asks its own inflector in any case: leave `asks_inflector` out',

  // Best known: of the best annotation of each sentence the inflector learns what q is sure of.
  wake_sleep:: { iterations: 2, gamma_sleep: 0.25, gamma_wake: 0.25, annotation: 'best', min_confidence: 0.5 },

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
        [name]: nested($.parts[name]) { [if std.get($.parts[name], 'warm_start', false) then 'warm_start']: true }
        for name in std.objectFields($.parts)
      },
    } + $.wake_sleep] + std.get($.parts.inflector.trainer, 'callbacks', []),
  },
}
