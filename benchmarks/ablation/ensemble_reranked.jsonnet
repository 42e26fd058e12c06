// Three edit transducers and the affix rules, ranked by the raw text's words.
(import '../../training_config/reranked.jsonnet') + { inflector:: 'ensemble' }
