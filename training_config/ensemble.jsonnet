// Three edit transducers and the affix rules as one p(f | l, m), for three times the work.
(import 'edit_transducer.jsonnet') + { inflector:: 'ensemble' }
