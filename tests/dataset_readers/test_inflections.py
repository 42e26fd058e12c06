from pathlib import Path
from typing import List

import pytest
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Instance, Vocabulary
from allennlp.data.data_loaders import MultiProcessDataLoader

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.tag import MorphTag
from allennlp_svae.dataset_readers.inflections import InflectionsReader


def read(tmp_path: Path, text: str, **options: float) -> List[Instance]:
    path = tmp_path / "data.tsv"
    path.write_text(text, encoding="utf-8")
    return list(InflectionsReader(**options).read(str(path)))


TOKENS = "ko\tkon\tN;SG;ACC\n" * 4 + "ko\tko\tN;NOM;SG\n" + "ko\tkon\tN;ACC;SG\n" * 5


def test_fields() -> None:
    instance = InflectionsReader().text_to_instance("kö", MorphTag.parse("N;SG;ACC"), "kön", 2.0)
    symbols = {
        name: [token.text for token in instance[name].tokens] for name in ("lemma", "tag", "form")
    }
    assert symbols == {
        "lemma": [START_SYMBOL, "k", "ö", END_SYMBOL],
        "tag": ["N", "ACC", "SG"],
        "form": [START_SYMBOL, "k", "ö", "n", END_SYMBOL],
    }
    assert instance["weight"].tensor.item() == 2.0
    assert instance["metadata"].metadata == {"lemma": "kö", "tag": "N;ACC;SG", "form": "kön"}


@pytest.mark.parametrize(("power", "ratio"), [(1.0, 9.0), (0.5, 3.0), (0.0, 1.0)])
def test_distinct_inflections_weigh_their_counts(
    tmp_path: Path, power: float, ratio: float
) -> None:
    instances = read(tmp_path, TOKENS, count_power=power)
    weights = [instance["weight"].tensor.item() for instance in instances]
    assert [instance["metadata"]["form"] for instance in instances] == ["kon", "ko"]
    assert weights[0] / weights[1] == pytest.approx(ratio)
    assert sum(weights) == pytest.approx(2.0)


def test_vocabulary_tells_seen_from_unseen(tmp_path: Path) -> None:
    vocab = Vocabulary.from_instances(read(tmp_path, TOKENS))
    assert set(vocab.get_token_to_index_vocabulary("morphology")) >= {"N;ACC;SG", "N;NOM;SG"}
    assert "ko" in vocab.get_token_to_index_vocabulary("lemmas")
    assert "kon" not in vocab.get_token_to_index_vocabulary("lemmas")
    assert set(vocab.get_token_to_index_vocabulary("characters")) >= {"k", "o", "n", START_SYMBOL}
    assert set(vocab.get_token_to_index_vocabulary("tag_parts")) >= {"N", "ACC", "NOM", "SG"}


def test_conllu_without_lemma_or_tag_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "data.conllu"
    rows = ["1\tWugs\twug\tNOUN\t_\tNumber=Plur\t0\troot\t_\t_", "2\tx\t_\t_\t_\t_\t1\tdep\t_\t_"]
    path.write_text("\n".join(rows) + "\n\n", encoding="utf-8")
    instances = list(InflectionsReader().read(str(path)))
    assert [instance["metadata"]["form"] for instance in instances] == ["Wugs"]
    assert instances[0]["metadata"]["tag"] == "N;PL"


def test_forms_may_be_missing_in_a_unimorph_file_for_prediction_alone(tmp_path: Path) -> None:
    path = tmp_path / "data.TSV"
    path.write_text("ko\tkon\tN;ACC;SG\nko\t\tN;NOM;SG\n", encoding="utf-8")
    reader = InflectionsReader()
    with pytest.raises(DataError, match=r"data.TSV.*2.*form is empty"):
        list(reader.read(str(path)))
    reader.allow_missing_form = True
    known, unknown = reader.read(str(path))
    assert known["metadata"]["form"] == "kon"
    assert "form" not in unknown.fields
    assert unknown["metadata"]["form"] is None


def test_worker_processes_read_the_same(tmp_path: Path) -> None:
    path = tmp_path / "data.tsv"
    path.write_text(TOKENS, encoding="utf-8")
    reader = InflectionsReader()
    vocab = Vocabulary.from_instances(reader.read(str(path)))

    def forms(num_workers: int) -> List[str]:
        loader = MultiProcessDataLoader(reader, str(path), batch_size=1, num_workers=num_workers)
        loader.index_with(vocab)
        return sorted(batch["metadata"][0]["form"] for batch in loader)

    assert forms(2) == forms(0) == ["ko", "kon"]
