import pytest
from allennlp.common import Params
from allennlp.data import DatasetReader

from allennlp_svae.data.errors import DataError


@pytest.mark.parametrize("name", ["tag_sequences", "lemmas", "inflections"])
def test_data_without_annotation_are_refused_with_a_remedy(name, tmp_path):
    path = tmp_path / "bare.conllu"
    path.write_text("1\tword" + "\t_" * 8 + "\n\n", encoding="utf-8")
    reader = DatasetReader.from_params(Params({"type": name}))
    with pytest.raises(DataError, match=r"bare\.conllu.*Remedy"):
        list(reader.read(str(path)))
