// q(l, m | f): lemmas by a transducer from forms to lemmas beside those of the tagger-lemmatizer's edit trees.
local nested = import '../nested.libsonnet';
local transducer = import 'edit_transducer.libsonnet';
function(tagger) (import 'tagger_lemmatizer.libsonnet') + {
  local part = self,
  components:: {
    tagger: tagger + part.as_component,
    lemmatizer: transducer + {
      labeled_tokens:: part.labeled_tokens,
      // The best lemma is nearly always the one that is found step by step.
      model+: { beam_size: 1 },
      trainer+: { callbacks: [{ type: 'greedy_validation' }] },
    },
  },

  reader: part.components.tagger.reader + { for_lemmatizer: true },
  model: {
    type: 'tagger_with_lemmatizer',
    tagger: part.components.tagger.model,
    lemmatizer: part.components.lemmatizer.model,
  },
  trainer: {
    type: 'components',
    components: { [name]: nested(part.components[name]) for name in std.objectFields(part.components) },
  },
}
