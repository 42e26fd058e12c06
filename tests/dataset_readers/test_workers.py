"""Every reader loads the same with worker processes as without."""

import pytest
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader


@pytest.mark.parametrize("name", ["tag_sequences", "lemmas", "inflections", "tagged_sentences"])
def test_a_worker_process_reads_what_this_one_does(name, treebank):
    def loaded(num_workers):
        reader = DatasetReader.from_params(Params({"type": name, "labeled_tokens": 100}))
        loader = MultiProcessDataLoader(
            reader, f"{treebank}/train#labeled", batch_size=4, num_workers=num_workers
        )
        instances = list(loader.iter_instances())
        loader.index_with(Vocabulary.from_instances(instances))
        batches = [batch["weight"].tolist() for batch in loader]
        return [sorted(map(str, instance.fields.values())) for instance in instances], batches

    here, worker = loaded(0), loaded(1)
    assert here == worker
    assert here[0]
