// p(f | l, m): bidirectional GRU over tag and lemma, GRU decoder with multiplicative attention. A fixed number of
// epochs with a decaying rate beats patience; the square root of the counts beats the counts.
local attention_decoder = import 'attention_decoder.libsonnet';
local embedder = import 'embedder.libsonnet';
{
  local part = self,
  embedding_dim:: 128,
  hidden_size:: 128,
  dropout:: 0.3,
  labeled_tokens:: null,
  // At least; one pass over the data if that is more.
  updates_per_epoch::
    if part.labeled_tokens == null then 400 else std.min(400, std.floor(part.labeled_tokens / 4)),

  reader: { type: 'inflections', count_power: 0.5 },
  model: {
    type: 'inflector',
    lemma_embedder: embedder('characters', part.embedding_dim),
    tag_embedder: embedder('tag_parts', part.embedding_dim),
    encoder: {
      type: 'gru',
      input_size: part.embedding_dim,
      hidden_size: part.hidden_size,
      bidirectional: true,
    },
    decoder: attention_decoder(part, part.embedding_dim),
    dropout: part.dropout,
    beam_search: { beam_size: 3, max_steps: 80 },
    metric_beam_size: 1,
  },
  data_loader: {
    batch_sampler: { type: 'bucket', batch_size: 32, sorting_keys: ['form', 'lemma'] },
    batches_per_epoch: part.updates_per_epoch,
  },
  trainer: {
    num_epochs: 12,
    optimizer: { type: 'adam', lr: 0.003 },
    learning_rate_scheduler: { type: 'epoch_decay', warmup_steps: 100 },
    grad_norm: 5.0,
    validation_metric: '+inflection_accuracy',
    callbacks: [{ type: 'calibrate' }],
  },
}
