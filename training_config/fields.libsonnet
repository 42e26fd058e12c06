// What the library's fields may be, said where a user has written something else.
local choice(name, value, options) =
  std.member(options, value) || error '%s:: is %s; it is one of %s.' % [name, std.toString(value), std.join(', ', options)];
local whole(value) = std.isNumber(value) && value == std.floor(value);

// A misspelled field would be without effect.
local known = {
  [name]: true
  for name in [
    'treebank', 'labeled_tokens', 'unlabeled', 'lexicon', 'tagset', 'seed', 'inflector', 'tagger', 'lemmatizer',
    'prior', 'asks_inflector', 'word_weight', 'networks', 'dev_as_train', 'part', 'parts', 'default_parts', 'wake_sleep',
    'own_fields', 'unlabeled_paths', 'treebank_vocabulary', 'reading',
  ]
};

// What is set in a part, or in one of its components, that the default has not.
local without_effect(path, part, default) =
  [
    'there is no field %s in %s; there are %s.' % [name, path, std.join(', ', std.objectFieldsAll(default))]
    for name in std.setDiff(std.objectFieldsAll(part), std.objectFieldsAll(default))
  ]
  + std.flatMap(
    function(name) without_effect('%s.components.%s' % [path, name], part.components[name], default.components[name]),
    std.objectFields(std.get(default, 'components', {}, inc_hidden=true))
  );

{
  are_right(config)::
    local unknown = [
      name
      for name in std.objectFieldsAll(config)
      if !std.objectHas(config, name) && !std.objectHas(known, name) && !std.member(config.own_fields, name)
    ];
    assert unknown == [] :
           'there is no field %s:: here; there are %s.'
           % [unknown[0], std.join(', ', std.objectFields(known) + config.own_fields)];
    assert std.isString(config.treebank) : 'treebank:: is the path of a folder or of a CoNLL-U file, in quotes.';
    assert config.labeled_tokens == null || whole(config.labeled_tokens) && config.labeled_tokens > 0 :
           'labeled_tokens:: is a whole number above 0, without quotes, or null for all.';
    assert std.isArray(config.unlabeled) :
           "unlabeled:: is a list of paths: ['text.txt'].";
    assert config.lexicon == null || std.isString(config.lexicon) : 'lexicon:: is a path, in quotes, or null.';
    assert whole(config.seed) : 'seed:: is a whole number, without quotes.';
    assert std.isNumber(config.word_weight) && config.word_weight >= 0 :
           'word_weight:: is a number, without quotes, not below 0.';
    assert whole(config.networks) && config.networks > 0 : 'networks:: is a whole number above 0, without quotes.';
    assert config.networks == 1 || config.inflector == 'edit_transducer' :
           "networks:: is for inflector:: 'edit_transducer'; the inflector is '%s'." % config.inflector;
    assert std.isBoolean(config.prior) : 'prior:: is true or false.';
    assert std.isBoolean(config.asks_inflector) : 'asks_inflector:: is true or false.';
    assert std.isBoolean(config.dev_as_train) : 'dev_as_train:: is true or false.';
    assert config.dev_as_train || !std.endsWith(config.treebank, '.conllu') :
           'treebank:: is one file, so that its last tenth is for development: leave dev_as_train:: out.';
    local of_parts = std.flatMap(
      function(name)
        if std.objectHas(config.default_parts, name) then
          without_effect('parts.' + name, config.parts[name], config.default_parts[name])
        else ['there is no part %s; there are %s.' % [name, std.join(', ', std.objectFields(config.default_parts))]],
      std.objectFields(config.parts)
    );
    local has_tagger = config.part == 'tagger_lemmatizer' || std.objectHasAll(config, 'wake_sleep');
    local of_tagger = [
      name
      for name in ['lexicon', 'tagger', 'lemmatizer', 'prior', 'asks_inflector']
      if !std.member([null, 'crf', 'edit_trees', false], config[name])
    ];
    assert has_tagger || of_tagger == [] :
           '%s:: is for a tagger-lemmatizer, and this config trains none.' % of_tagger[0];
    assert config.lexicon == null || config.tagger == 'crf' :
           "lexicon:: is for tagger:: 'crf'; the tagger is '%s'." % config.tagger;
    assert config.unlabeled == [] || std.objectHas(config, 'vocabulary') :
           'unlabeled:: is for configs that know the words of the raw text, such as svae, reranked and the taggers.';
    choice('tagset', config.tagset, ['paper', 'lossless', 'ud'])
    && choice('inflector', config.inflector, ['edit_transducer', 'pointer_generator', 'ensemble', 'attentional'])
    && choice('tagger', config.tagger, ['crf', 'neural'])
    && choice('lemmatizer', config.lemmatizer, ['edit_trees', 'transducer'])
    && (of_parts == [] || error of_parts[0]),
}
