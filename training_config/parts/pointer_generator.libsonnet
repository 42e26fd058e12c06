// p(f | l, m) by generating or copying: trained as the edit transducer is, with soft attention for its pointer.
local attention_decoder = import 'attention_decoder.libsonnet';
(import 'edit_transducer.libsonnet') + {
  local part = self,
  local metric_beam_size = super.model.metric_beam_size,
  local network = super.model.networks[0],

  model: {
    type: 'pointer_generator',
    lemma_embedder: network.lemma_embedder,
    tag_embedder: network.tag_embedder,
    encoder: network.encoder,
    decoder: attention_decoder(part, 2 * part.embedding_dim),
    dropout: part.dropout,
    unseen_rate: 0.2,
    beam_search: { beam_size: 5, max_steps: 80 },
    metric_beam_size: metric_beam_size,
    initializer: network.initializer,
  },
}
