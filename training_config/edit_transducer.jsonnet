// The edit transducer p(f | l, m) alone: the inflector that `svae` trains, on the labelled data only.
(import 'svae.libsonnet') + { part:: 'inflector' }
