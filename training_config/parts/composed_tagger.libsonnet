// q(l, m | f) of a tagger and what helps it. Components are trained by themselves, side by side where that can be.
local nested = import '../nested.libsonnet';
local transducer = import 'edit_transducer.libsonnet';
local tagger_lemmatizer = import 'tagger_lemmatizer.libsonnet';

// `tagger_with_{name}` of a tagger; `further` components may have one, a transducer, with that name.
local composed(tagger, name, further={}) = tagger_lemmatizer + {
  local part = self,
  local alone = tagger + part.as_component,
  local is_composed = std.objectHasAll(alone, 'components'),
  components:: (
    if is_composed then { ['tagger.' + each]: alone.components[each] for each in std.objectFields(alone.components) }
    else { tagger: alone }
  ) + { [each]: further[each] + { labeled_tokens:: part.labeled_tokens } for each in std.objectFields(further) },
  local names = std.set(
    (if is_composed then ['tagger.' + each for each in std.objectFields(alone.components)] else ['tagger'])
    + std.objectFields(further)
  ),
  local others = std.setDiff(std.set(std.objectFields(part.components)), names),
  assert others == [] : 'there is no component %s: there are %s' % [std.join(', ', others), std.join(', ', names)],
  // With what is set for its components here.
  local inner =
    if is_composed then alone {
      components:: { [each]: part.components['tagger.' + each] for each in std.objectFields(alone.components) },
    }
    else part.components.tagger,

  reader: inner.reader + { transducers: std.get(inner.reader, 'transducers', []) + std.objectFields(further) },
  model: {
    type: 'tagger_with_' + name,
    tagger: inner.model,
  } + { [each]: part.components[each].model for each in std.objectFields(further) },
  trainer: {
    type: 'components',
    components: { [each]: nested(part.components[each]) for each in std.objectFields(part.components) },
  },
};
local with_transducer(tagger, name) = composed(tagger, name, {
  [name]: transducer + { trainer+: { callbacks: [transducer.validation] } },
});

{
  // Lemmas by a transducer from forms to lemmas, beside those of the tagger's edit trees.
  with_lemmatizer(tagger): with_transducer(tagger, 'lemmatizer') + {
    // The best lemma is nearly always the one that is found step by step.
    components+:: { lemmatizer+: { model+: { beam_size: 1 } } },
  },
  // Lemmas and tags by which of them are likely whatever the word.
  with_prior(tagger): composed(tagger, 'prior'),
  // Lemmas and tags by how probable they make the form, too.
  with_inflector(tagger): with_transducer(tagger, 'inflector') + {
    // Next to all of p is the cheapest derivation's, and the others take a fifth of analyzing.
    components+:: { inflector+: { model+: { max_derivations: 1 } } },
  },
}
