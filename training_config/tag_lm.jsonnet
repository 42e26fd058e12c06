// The tag language model p(m) alone (paper, section 4.2 (1)).
(import 'svae.libsonnet') + { part:: 'tag_lm' }
