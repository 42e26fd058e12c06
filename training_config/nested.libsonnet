// How a part is trained inside of another run: what `PartTraining` takes, from the part's own blocks.
function(part) {
  // Nested trainers are silent and leave checking to the outer one. A trainer of components has such trainers itself.
  trainer: (if std.objectHas(part.trainer, 'components') then {} else {
              enable_default_callbacks: false,
              run_confidence_checks: false,
              checkpointer: { type: 'atomic', keep_most_recent_by_count: 1 },
            }) + part.trainer,
  // More data than the part alone has: an epoch is a pass, if that is longer.
  batches: {
    batch_sampler: part.data_loader.batch_sampler,
    min_batches_per_epoch: std.get(part.data_loader, 'batches_per_epoch', 1),
  },
}
