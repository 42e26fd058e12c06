// q(l, m | f) of independent words: recurrent networks over characters and words; new tags can be put together.
// Statistics of raw text, and what validation asks, are the CRF's.
(import 'tagger_lemmatizer.libsonnet') + {
  local part = self,
  local inherited = super.model,
  feature_dim:: 64,
  character_dim:: 32,
  hidden_size:: 64,
  dropout:: 0.5,
  restarts:: [],  // it does not begin at zero
  // Digits of a word's count, and its casings: `WordStatistics.num_word_features`.
  local statistics_dim = 14,
  local num_endings = 4,  // `ENDING_LENGTHS`

  reader: {
    type: 'tagged_sentences',
    token_indexers: {
      word_features: { type: 'word_features' },
      token_characters: { type: 'characters', min_padding_length: 3 },
    },
  },
  model: {
    type: 'neural_tagger_lemmatizer',
    [if part.word_statistics then 'word_statistics']: inherited.word_statistics,
    [if part.word_vectors != null then 'word_vectors']: inherited.word_vectors,
    [if part.ending_vectors then 'ending_vectors']: inherited.ending_vectors,
    embedder: {
      token_embedders: {
        word_features: {
          type: 'word_features',
          embedding_dim: part.feature_dim,
          feature_dropout: 0.2,
        },
        token_characters: {
          type: 'character_encoding',
          embedding: { embedding_dim: part.character_dim, vocab_namespace: 'token_characters' },
          encoder: {
            type: 'lstm',
            input_size: part.character_dim,
            hidden_size: part.hidden_size,
            bidirectional: true,
          },
        },
      },
    },
    encoder: {
      type: 'lstm',
      input_size: part.feature_dim + 2 * part.hidden_size
                  + (if part.word_statistics then statistics_dim else 0)
                  + (if part.word_vectors != null then part.word_vector_dim + 1 else 0)
                  + (if part.ending_vectors then num_endings * (inherited.ending_vectors.dim + 1) else 0),
      hidden_size: part.hidden_size,
      bidirectional: true,
    },
    hidden_dim: 2 * part.hidden_size,
    dropout: part.dropout,
  },
  data_loader: {
    batch_sampler: { type: 'bucket', batch_size: 4, sorting_keys: ['tokens'] },
    batches_per_epoch: 50,
  },
  trainer+: {
    num_epochs: 10,
    optimizer: { type: 'dense_sparse_adam', lr: 0.003 },
    learning_rate_scheduler: { type: 'epoch_decay', warmup_steps: 50 },
    grad_norm: 5.0,
  },
}
