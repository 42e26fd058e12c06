// An edit transducer of three networks and the affix rules, ranked by the raw text's words.
(import '../../training_config/reranked.jsonnet') + { inflector:: 'ensemble', networks:: 1 }
