// The pointer-generator p(f | l, m) alone, on the labelled data only: soft attention that may copy.
(import 'svae.libsonnet') + { part:: 'inflector', inflector:: 'pointer_generator' }
