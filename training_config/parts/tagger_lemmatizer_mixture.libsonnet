// q(l, m | f) as a mixture of the CRF and the neural tagger-lemmatizer, each trained as it is alone.
local nested = import '../nested.libsonnet';
local crf = import 'tagger_lemmatizer.libsonnet';
local neural = import 'neural_tagger_lemmatizer.libsonnet';
crf + {
  local part = self,
  components:: { crf: crf + part.as_component, neural: neural + part.as_component },

  // It reads all that the CRF does.
  reader: part.components.neural.reader,
  model: {
    type: 'tagger_lemmatizer_mixture',
    components: { [name]: part.components[name].model for name in std.objectFields(part.components) },
  },
  trainer: {
    type: 'components',
    components: { [name]: nested(part.components[name]) for name in std.objectFields(part.components) },
  },
}
