// The one library of all configs: where data comes from, and each part's reader, model, loader and trainer.
// A config names its `part`; a user sets the fields of the first block.
local fields = import 'fields.libsonnet';
{
  assert fields.are_right(self),

  // A folder with train, dev and test, under plain or UD's names; or one CoNLL-U file.
  treebank:: 'fixtures/demo',
  labeled_tokens:: 500,  // the first tokens of the training file, finishing the sentence; null for all
  unlabeled:: [],  // further CoNLL-U or text files, beside the rest of the training file
  lexicon:: null,  // a UniMorph or CoNLL-U file of what forms can be, for the tagger-lemmatizer
  tagset:: 'paper',  // paper | lossless | ud
  seed:: 13370,
  inflector:: 'edit_transducer',  // edit_transducer | pointer_generator | ensemble | attentional, the paper's
  tagger:: 'crf',  // crf | neural
  lemmatizer:: 'edit_trees',  // edit_trees | transducer beside them
  prior:: false,  // whether the tagger-lemmatizer prefers the lemmas that it knows and those that look like words
  asks_inflector:: false,  // whether the tagger-lemmatizer has an inflector of its own, to be asked where it is in doubt
  // How much it counts among an inflector's best forms which looks most like a word of the text; see `FormRanker`.
  word_weight:: 0,
  // No training file: label, annotate and develop on portions of dev, or of the one file that there is.
  dev_as_train:: one_file,
  networks:: 1,  // how many networks the edit transducer is made of, each trained by itself
  own_fields:: [],  // what a config has beside these

  part:: error 'a config sets `part`',
  parts:: $.default_parts,  // with what is set for them
  default_parts:: {
    tag_lm: import 'parts/tag_lm.libsonnet',
    lemma_lm: import 'parts/lemma_lm.libsonnet',
    inflector: inflectors[$.inflector] + {
      // Learning more takes longer.
      labeled_tokens:: $.labeled_tokens,
      word_weight:: $.word_weight,
      networks:: $.networks,
      warm_start:: false,  // whether, in wake-sleep, it goes on from the iteration before
      model+: if $.word_weight > 0 then { ranker: { weight: $.word_weight } } else {},
    },
    tagger_lemmatizer:
      asking(weighing(lemmatizers[$.lemmatizer](taggers[$.tagger])))
      + { labeled_tokens:: $.labeled_tokens },
  },

  local inflectors = {
    attentional: import 'parts/inflector.libsonnet',
    edit_transducer: import 'parts/edit_transducer.libsonnet',
    ensemble: import 'parts/ensemble.libsonnet',
    pointer_generator: import 'parts/pointer_generator.libsonnet',
  },
  local taggers = {
    crf: import 'parts/tagger_lemmatizer.libsonnet',
    neural: import 'parts/neural_tagger_lemmatizer.libsonnet',
  },
  local composed = import 'parts/composed_tagger.libsonnet',
  local lemmatizers = {
    edit_trees: function(tagger) tagger,
    transducer: composed.with_lemmatizer,
  },
  local weighing = function(tagger) if $.prior then composed.with_prior(tagger) else tagger,
  local asking = function(tagger) if $.asks_inflector then composed.with_inflector(tagger) else tagger,
  local one_file = std.endsWith($.treebank, '.conllu'),
  local split(name) = if one_file then $.treebank else $.treebank + '/' + name,
  local source = split(if $.dev_as_train then 'dev' else 'train'),
  unlabeled_paths:: [source + '#unlabeled'] + [path + '#raw' for path in $.unlabeled],
  // Where the raw text's words and characters are to be known too.
  treebank_vocabulary:: {
    type: 'treebank',
    reader: $.dataset_reader,
    labeled: $.train_data_path,
    unlabeled: $.unlabeled_paths,
    [if $.lexicon != null then 'lexicon']: $.lexicon,
  },
  // What every reader is told.
  reading:: {
    tagset: $.tagset,
    labeled_tokens: $.labeled_tokens,
    held_out: if $.dev_as_train then 0.1 else 0.0,
  },

  random_seed: $.seed,
  numpy_seed: $.seed,
  pytorch_seed: $.seed,
  dataset_reader: $.parts[$.part].reader + $.reading,
  train_data_path: source + '#labeled',
  validation_data_path: split('dev') + (if $.dev_as_train then '#held_out' else ''),
  datasets_for_vocab_creation: ['train'],
  model: $.parts[$.part].model,
  data_loader: $.parts[$.part].data_loader,
  validation_data_loader: {
    batch_sampler: {
      type: 'bucket',
      batch_size: std.get($.parts[$.part], 'validation_batch_size', 256),
      shuffle: false,
    },
  },
  local trainer = $.parts[$.part].trainer,
  // One of components leaves checkpoints to theirs.
  trainer: trainer + (
    if std.objectHas(trainer, 'components') then {}
    else { checkpointer: { type: 'atomic', keep_most_recent_by_count: 1 } }
  ),
}
