// p(m): an LSTM over whole tags, multi-hot in and out.
{
  reader: { type: 'tag_sequences' },
  model: {
    type: 'tag_lm',
    embedding_dim: 100,
    contextualizer: { type: 'lstm', input_size: 100, hidden_size: 100 },
    dropout: 0.3,
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 16, sorting_keys: ['tags'] } },
  trainer: {
    num_epochs: 5,
    optimizer: { type: 'adam', lr: 0.005 },
    validation_metric: '-perplexity',
    cuda_device: -1,
  },
}
