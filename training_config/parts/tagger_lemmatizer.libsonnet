// q(l, m | f): a joint CRF. Its weights are sparse, so its optimizer must take sparse gradients.
{
  local part = self,
  word_statistics:: true,  // how often, and in which case, words and lemmas occur in the raw text
  // Vectors of words: null for none, 'raw_text' to learn them from the words beside each word of the raw text, or the path of a
  // file of vectors in fastText's text format (.vec, plain or packed), with as many dimensions.
  word_vectors:: 'raw_text',
  word_vector_dim:: 50,
  ending_vectors:: true,  // vectors of endings, from the endings beside them in the raw text
  labeled_tokens:: null,
  warm_start:: false,  // whether, in wake-sleep, it is the mean of what it was and what it would be by itself
  validation_batch_size:: 64,  // sentences, whose lemmas take memory with every tag
  // For a component of this, which is not calibrated: the whole is.
  as_component:: {
    word_statistics:: part.word_statistics,
    word_vectors:: part.word_vectors,
    word_vector_dim:: part.word_vector_dim,
    ending_vectors:: part.ending_vectors,
    labeled_tokens:: part.labeled_tokens,
    warm_start:: part.warm_start,
    calibration:: [],
  },
  // Of the average of several short trainings more is right than of any one; of many sentences, which are updates each
  // two, fewer do.
  local epochs = 2,
  local trainings = if part.labeled_tokens == null || part.labeled_tokens > 2000 then 4 else 10,
  restarts:: [{ type: 'restarts', every: epochs, [if part.warm_start then 'continued']: true }],
  // q by itself is too sure: it holds that no tag is missing from its training data.
  calibration:: [{ type: 'calibrate', max_instances: 500 }],

  reader: { type: 'tagged_sentences' },
  model: {
    type: 'crf_tagger_lemmatizer',
    // Of hundreds of tags few are worth a place in the chain.
    pruning: [16],
    [if part.word_statistics then 'word_statistics']: { initializer: { type: 'word_counts' } },
    [if part.word_vectors != null then 'word_vectors']: {
      dim: part.word_vector_dim,
      initializer:
        if part.word_vectors == 'raw_text' then { type: 'neighbor_vectors' }
        else { type: 'vectors_file', path: part.word_vectors },
    },
    [if part.ending_vectors then 'ending_vectors']: {
      dim: 50,
      namespace: 'endings',
      initializer: { type: 'ending_vectors' },
    },
  },
  data_loader: { batch_sampler: { type: 'bucket', batch_size: 2, sorting_keys: ['tokens'] } },
  trainer: {
    num_epochs: trainings * epochs,
    optimizer: { type: 'adagrad', lr: 0.15, initial_accumulator_value: 0.1 },
    moving_average: { type: 'polynomial_decay' },
    // Their sum: the lemmas alone of a treebank's conventions may be beyond what few tokens tell.
    validation_metric: ['+tag_accuracy', '+joint_accuracy'],
    callbacks: part.restarts + part.calibration,
  },
}
