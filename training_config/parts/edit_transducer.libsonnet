// p(f | l, m) by copying, deleting and inserting: for small data better than the attentional `inflector`.
local embedder = import 'embedder.libsonnet';
local nested = import '../nested.libsonnet';
{
  local part = self,
  embedding_dim:: 64,
  hidden_size:: 128,
  labeled_tokens:: null,
  local tokens = if part.labeled_tokens == null then 5000 else part.labeled_tokens,
  dropout:: if tokens < 2500 then 0.3 else 0.2,  // few words are soon learned by heart
  word_weight:: 0,
  networks:: 1,
  validation:: { type: 'greedy_validation', last_epochs: 1 },
  // At least; one pass over the data if that is more.
  updates_per_epoch:: std.floor(3.1 * std.pow(std.min(5000, tokens), 0.6)),

  reader: { type: 'inflections', count_power: 0.5 },
  local network = {
    lemma_embedder: embedder('characters', part.embedding_dim),
    tag_embedder: embedder('tag_parts', part.embedding_dim),
    encoder: {
      type: 'gru',
      input_size: 2 * part.embedding_dim,
      hidden_size: part.hidden_size,
      bidirectional: true,
    },
    decoder: {
      action_size: part.embedding_dim,
      memory_size: 2 * part.hidden_size,
      tag_size: part.embedding_dim,
      hidden_size: part.hidden_size,
      attention: {
        type: 'bilinear',
        matrix_1_dim: part.hidden_size,
        matrix_2_dim: part.embedding_dim,
      },
      dropout: part.dropout,
    },
    action_dim: part.embedding_dim,
    dropout: part.dropout,
    initializer: {
      regexes: [
        ['.*embedder.*weight', { type: 'normal', std: 1.0 }],
        ['.*attention._weight_matrix', { type: 'normal', std: 0.02 }],
      ],
    },
  },
  model: {
    type: 'edit_transducer',
    networks: std.repeat([network], part.networks),
    max_derivations: 4,  // of a trained one, all others together have less than a millionth of p
    // There has to be something to choose from.
    metric_beam_size: if part.word_weight > 0 then 5 else 1,
  },
  data_loader: {
    batch_sampler: { type: 'bucket', batch_size: 32, sorting_keys: ['form'], padding_noise: 0.5 },
    batches_per_epoch: part.updates_per_epoch,
  },
  // How a network is trained.
  training:: {
    num_epochs: 5,
    // SOAP for matrices that are multiplied with what is computed, AdamW for the rest.
    optimizer: {
      type: 'soap',
      lr: 0.01,
      weight_decay: 0.3,
      local matrices = { lr: 0.006, weight_decay: 0.5, betas: [0.9, 0.98] },
      parameter_groups: [
        [['(_encoder\\._module|_recurrence)\\.weight'], matrices { blocks: 3 }],  // the gates
        [['_decoder\\.(_of_\\w+\\.weight|_attention\\._weight)'], matrices { blocks: 1 }],
      ],
    },
    learning_rate_scheduler: { type: 'epoch_decay', warmup_steps: 50 },
    grad_norm: 5.0,
    validation_metric: '+inflection_accuracy',
    callbacks: [part.validation, { type: 'calibrate' }],
  },
  trainer: if part.networks == 1 then part.training else {
    type: 'components',
    components: {
      ['network_%d' % number]: nested(part { trainer: part.training { callbacks: [] } })
      for number in std.range(0, part.networks - 1)
    },
    validated: false,
  },
}
