// p(f | l, m) by generating or copying: trained as the edit transducer is, with soft attention for its pointer.
(import 'edit_transducer.libsonnet') + {
  local part = self,
  local inherited = super.model,

  model: {
    type: 'pointer_generator',
    lemma_embedder: inherited.lemma_embedder,
    tag_embedder: inherited.tag_embedder,
    encoder: inherited.encoder,
    decoder: {
      input_size: 2 * part.embedding_dim,
      memory_size: 2 * part.hidden_size,
      hidden_size: part.hidden_size,
      attention: {
        type: 'bilinear',
        matrix_1_dim: part.hidden_size,
        matrix_2_dim: 2 * part.hidden_size,
      },
      dropout: part.dropout,
    },
    dropout: part.dropout,
    unseen_rate: 0.2,
    beam_search: { beam_size: 5, max_steps: 80 },
    metric_beam_size: inherited.metric_beam_size,
    initializer: inherited.initializer,
  },
}
