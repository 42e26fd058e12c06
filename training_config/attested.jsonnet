// The edit transducer on the labelled data, preferring among its best forms those that occur in the raw text.
(import 'edit_transducer.jsonnet') + {
  vocabulary: {
    type: 'treebank',
    reader: $.dataset_reader,
    labeled: $.train_data_path,
    unlabeled: $.unlabeled_paths,
  },
  model+: { attestation_bonus: 2.0, metric_beam_size: 5 },
}
