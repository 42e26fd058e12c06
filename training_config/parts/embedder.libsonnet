// Embeds the ids that the vocabulary has for the symbols of one namespace.
function(name, dim) {
  token_embedders: {
    [name]: { type: 'embedding', embedding_dim: dim, vocab_namespace: name },
  },
}
