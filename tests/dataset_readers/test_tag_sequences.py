import logging
from pathlib import Path
from typing import List

import pytest
from allennlp.common import Params
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import DatasetReader, Instance, Token, Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader

from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.tag_parts_indexer import UNTAGGED, TagPartsIndexer
from allennlp_svae.dataset_readers.tag_sequences import TagSequencesReader

CONLLU = """\
1\tevler\tev\tNOUN\t_\tCase=Nom|Number=Plur\t0\troot\t_\t_
2\tbüyük\tbüyük\tADJ\t_\t_\t1\tamod\t_\t_

1\tgeldi\tgel\tVERB\t_\tTense=Past\t0\troot\t_\t_

"""


@pytest.fixture
def treebank(tmp_path: Path) -> str:
    path = tmp_path / "train.conllu"
    path.write_text(CONLLU, encoding="utf-8")
    return str(path)


def texts(instance: Instance) -> List[str]:
    return [token.text for token in instance["tags"]]


def test_yields_the_tags_of_each_sentence_between_boundaries(treebank: str) -> None:
    reader = TagSequencesReader(tagset="ud")
    first, second = reader.read(treebank)
    assert texts(first) == [START_SYMBOL, "NOUN;Case=Nom;Number=Plur", "ADJ", END_SYMBOL]
    assert texts(second) == [START_SYMBOL, "VERB;Tense=Past", END_SYMBOL]
    assert first["weight"].tensor.item() == 1.0


def test_is_registered_and_speaks_the_tagset_asked_for(treebank: str) -> None:
    reader = DatasetReader.from_params(Params({"type": "tag_sequences", "tagset": "paper"}))
    first = next(iter(reader.read(treebank)))
    assert MorphTag.parse(texts(first)[1]) == MorphTag.parse("N;NOM;PL")


def test_skips_and_counts_sentences_without_any_tag(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "partly.conllu"
    rows = ["1\tev\tev\tNOUN", "1\tev\tev\tNOUN\n2\tde\t_\t_", "1\tde\t_\t_"]
    blocks = [row.replace("\n", "\t_" * 6 + "\n") + "\t_" * 6 for row in rows]
    path.write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
    with caplog.at_level(logging.INFO):
        instances = list(TagSequencesReader(tagset="ud").read(str(path)))
    assert "skipped 1 sentences" in caplog.text
    assert texts(instances[1]) == [START_SYMBOL, "NOUN", UNTAGGED, END_SYMBOL]
    # What is missing enters no vocabulary, and has no parts.
    vocab = Vocabulary.from_instances(instances)
    assert vocab.get_vocab_size("morphology") == 2 + len([START_SYMBOL, "NOUN", END_SYMBOL])
    instances[1].index_fields(vocab)
    parts = instances[1].as_tensor_dict()["tags"]["parts"]["token_characters"]
    assert (parts > 0).sum(dim=-1).tolist() == [1, 1, 0, 1]


def test_indexes_whole_tags_and_their_parts(treebank: str) -> None:
    reader = TagSequencesReader(tagset="ud")
    instances = list(reader.read(treebank))
    vocab = Vocabulary.from_instances(instances)
    assert set(vocab.get_token_to_index_vocabulary("tag_parts")) == {
        vocab._padding_token,
        vocab._oov_token,
        START_SYMBOL,
        END_SYMBOL,
        *("NOUN", "Case=Nom", "Number=Plur", "ADJ", "VERB", "Tense=Past"),
    }
    instance = reader.text_to_instance([MorphTag.of("VERB", ["Case=Nom"]), MorphTag("ADJ")])
    instance.index_fields(vocab)
    indexed = instance.as_tensor_dict()["tags"]
    index = vocab.get_token_index
    assert indexed["morphology"]["tokens"].tolist() == [
        index(START_SYMBOL, "morphology"),
        index(vocab._oov_token, "morphology"),
        index("ADJ", "morphology"),
        index(END_SYMBOL, "morphology"),
    ]
    assert indexed["parts"]["token_characters"].tolist() == [
        [index(START_SYMBOL, "tag_parts"), 0],
        [index("VERB", "tag_parts"), index("Case=Nom", "tag_parts")],
        [index("ADJ", "tag_parts"), 0],
        [index(END_SYMBOL, "tag_parts"), 0],
    ]


def test_a_tag_without_part_of_speech_keeps_its_features() -> None:
    vocab = Vocabulary()
    for part in ("_", "SG", "ACC"):
        vocab.add_token_to_namespace(part, "tag_parts")
    indexed = TagPartsIndexer().tokens_to_indices([Token("ACC;SG")], vocab)
    names = [vocab.get_token_from_index(i, "tag_parts") for i in indexed["token_characters"][0]]
    assert names == ["_", "ACC", "SG"]


@pytest.mark.parametrize("num_workers", [0, 1])
def test_worker_processes_read_the_same(treebank: str, num_workers: int) -> None:
    reader = TagSequencesReader(tagset="ud")
    loader = MultiProcessDataLoader(reader, treebank, batch_size=2, num_workers=num_workers)
    vocab = Vocabulary.from_instances(loader.iter_instances())
    loader.index_with(vocab)
    (batch,) = loader
    assert batch["tags"]["morphology"]["tokens"].shape == (2, 4)
    assert batch["tags"]["parts"]["token_characters"].shape == (2, 4, 3)
    assert batch["weight"].tolist() == [1.0, 1.0]
