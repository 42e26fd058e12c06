// q(l, m | f) of a tagger and a transducer that helps it, trained one after the other.
local nested = import '../nested.libsonnet';
local transducer = import 'edit_transducer.libsonnet';
local tagger_lemmatizer = import 'tagger_lemmatizer.libsonnet';

local composed(tagger, name) = tagger_lemmatizer + {
  local part = self,
  local alone = tagger + part.as_component,
  local is_composed = std.objectHasAll(alone, 'components'),
  components:: (
    if is_composed then { ['tagger.' + each]: alone.components[each] for each in std.objectFields(alone.components) }
    else { tagger: alone }
  ) + {
    [name]: transducer + {
      labeled_tokens:: part.labeled_tokens,
      trainer+: { callbacks: [transducer.validation] },
    },
  },
  // With what is set for its components here.
  local inner =
    if is_composed then alone {
      components:: { [each]: part.components['tagger.' + each] for each in std.objectFields(alone.components) },
    }
    else part.components.tagger,

  reader: inner.reader + { transducers: std.get(inner.reader, 'transducers', []) + [name] },
  model: {
    type: 'tagger_with_' + name,
    tagger: inner.model,
    [name]: part.components[name].model,
  },
  trainer: {
    type: 'components',
    components: { [each]: nested(part.components[each]) for each in std.objectFields(part.components) },
  },
};

{
  // Lemmas by a transducer from forms to lemmas, beside those of the tagger's edit trees.
  with_lemmatizer(tagger): composed(tagger, 'lemmatizer') + {
    // The best lemma is nearly always the one that is found step by step.
    components+:: { lemmatizer+: { model+: { beam_size: 1 } } },
  },
  // Lemmas and tags by how probable they make the form, too.
  with_inflector(tagger): composed(tagger, 'inflector') + {
    // Next to all of p is the cheapest derivation's, and the others take a fifth of analyzing.
    components+:: { inflector+: { model+: { max_derivations: 1 } } },
  },
}
