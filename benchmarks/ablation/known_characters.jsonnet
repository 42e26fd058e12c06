// The pointer-generator that copies the characters of its vocabulary alone, and for which a tag is a sequence.
(import 'tag_sequence.jsonnet') + {
  model+: { type: 'pointer_generator_of_known_characters', unseen_rate: 0.0 },
}
