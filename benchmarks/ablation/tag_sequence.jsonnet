// The pointer-generator for which a tag is the sequence of its parts, not their set.
(import '../../training_config/pointer_generator.jsonnet') + {
  local tag_embedder = super.model.tag_embedder,
  local size = tag_embedder.token_embedders.tag_parts.embedding_dim,
  local initial = super.model.initializer.regexes,

  model+: {
    tag_embedder: {
      type: 'tag_sequence',
      embedder: tag_embedder,
      encoder: { type: 'gru', input_size: size, hidden_size: size },
    },
    // The encoder's weights are in the embedder, and start as torch has them.
    initializer: { regexes: [['.*token_embedder.*weight', initial[0][1]], initial[1]] },
  },
}
