from pathlib import Path

import pytest
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Instance, Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader

from allennlp_svae.dataset_readers.lemmas import LemmasReader

# Four occurrences of `ev` as a noun, one as a verb, one of `ışık`, one token without a lemma.
CONLLU = """\
1\tev\tev\tNOUN\t_\tCase=Nom\t0\troot\t_\t_
2\tevi\tev\tNOUN\t_\tCase=Acc\t0\troot\t_\t_
3\tışık\tışık\tNOUN\t_\t_\t0\troot\t_\t_

1\tevde\tev\tNOUN\t_\tCase=Loc\t0\troot\t_\t_
2\tev\tev\tVERB\t_\t_\t0\troot\t_\t_
3\tev\tev\tNOUN\t_\tCase=Nom\t0\troot\t_\t_
4\tx\t_\tX\t_\t_\t0\troot\t_\t_

"""


@pytest.fixture
def treebank(tmp_path: Path) -> str:
    path = tmp_path / "train.conllu"
    path.write_text(CONLLU, encoding="utf-8")
    return str(path)


def key(instance: Instance) -> tuple:
    return "".join(token.text for token in instance["lemma"][1:-1]), instance["pos"].label


@pytest.mark.parametrize(
    ("count_power", "weights"),
    [(1.0, [2.0, 0.5, 0.5]), (0.5, [1.5, 0.75, 0.75]), (0.0, [1.0, 1.0, 1.0])],
)
def test_distinct_pairs_weigh_a_power_of_their_count(
    treebank: str, count_power: float, weights: list
) -> None:
    instances = list(LemmasReader(count_power=count_power, tagset="ud").read(treebank))
    assert [key(instance) for instance in instances] == [
        ("ev", "NOUN"),
        ("ışık", "NOUN"),
        ("ev", "VERB"),
    ]
    assert [instance["weight"].tensor.item() for instance in instances] == pytest.approx(weights)


def test_text_to_instance_is_indexable() -> None:
    instance = LemmasReader().text_to_instance("ev", "N", 3.0)
    assert [token.text for token in instance["lemma"]] == [START_SYMBOL, "e", "v", END_SYMBOL]
    vocab = Vocabulary.from_instances([instance])
    instance.index_fields(vocab)
    tensors = instance.as_tensor_dict()
    assert tensors["lemma"]["characters"]["tokens"].shape == (4,)
    assert tensors["pos"].item() == vocab.get_token_index("N", "pos")
    assert tensors["weight"].item() == 3.0
    # Another part of speech is unknown, not an error.
    other = LemmasReader().text_to_instance("ev", "V")
    other.index_fields(vocab)
    assert other.as_tensor_dict()["pos"].item() == vocab.get_token_index(vocab._oov_token, "pos")


@pytest.mark.parametrize("num_workers", [0, 1])
def test_worker_processes_read_the_same(treebank: str, num_workers: int) -> None:
    loader = MultiProcessDataLoader(
        LemmasReader(tagset="ud"), treebank, batch_size=10, num_workers=num_workers
    )
    loader.index_with(Vocabulary.from_instances(loader.iter_instances()))
    (batch,) = loader
    assert batch["lemma"]["characters"]["tokens"].shape == (3, 6)
    assert batch["weight"].tolist() == pytest.approx([2.0, 0.5, 0.5])
