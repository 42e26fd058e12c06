// The hyperparameters of the paper's Appendix A, over those of ../parts. Not in the appendix and chosen here: batch
// sizes of the tag LM (20) and the inflector (50), and where the inflector's dropout goes: on the attentional state
// alone, as a one-layer network of the toolkits of the time has it. On embeddings and encoded source as well, the
// inflector of the first iteration learned slowly and stopped at 47 on Turkish dev.
(import '../svae.libsonnet') + {
  inflector:: 'attentional',
  parts+:: {
    // LEMMING has the labelled data only.
    tagger_lemmatizer+: { word_statistics:: false, word_vectors:: null, ending_vectors:: false },
    // The appendix quarters the rate "during any epoch where the loss reaches a new minimum"; to the letter the rate
    // is spent after a few epochs and perplexity stays high, so it is read as "no new minimum".
    tag_lm+: {
      num_layers:: 2,
      dropout:: 0.2,
      model+: { tie_embeddings: false, contextualizer+: { dropout: 0.2 } },
      trainer+: { num_epochs: 40 },
    },
    // 10000 updates, fifty to an epoch, stopping early. The appendix's batch of 20000 is the whole of any labelled
    // portion here, as is one of 2000; on the annotated raw text it would take hours.
    lemma_lm+: {
      character_dim:: 5,
      pos_dim:: 5,
      hidden_size:: 50,
      dropout:: 0.0,
      data_loader: {
        batch_sampler: { type: 'bucket', batch_size: 2000, sorting_keys: ['lemma'] },
        batches_per_epoch: 50,
      },
      trainer: {
        num_epochs: 200,
        patience: 5,
        optimizer: { type: 'sgd', lr: 4, weight_decay: 1e-6 },
        grad_norm: 1.0,
        validation_metric: '-bits_per_character',
      },
    },
    // 250 iterations of AdaDelta; stops early, since they would take hours on the annotated raw text.
    inflector+: {
      embedding_dim:: 200,
      hidden_size:: 100,
      dropout:: 0.5,
      model+: { dropout: 0.0 },
      reader+: { count_power: 1.0 },
      data_loader: {
        batch_sampler: { type: 'bucket', batch_size: 50, sorting_keys: ['form', 'lemma'] },
      },
      trainer: {
        num_epochs: 250,
        patience: 5,
        optimizer: { type: 'adadelta' },
        validation_metric: '+inflection_accuracy',
        callbacks: [{ type: 'calibrate' }],
      },
    },
  },
}
