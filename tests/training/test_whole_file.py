import pytest

from allennlp_svae.training.whole_file import whole_file, whole_text


def test_a_file_is_renamed_when_it_is_written(tmp_path):
    path = tmp_path / "file"
    with whole_file(str(path)) as unfinished, open(unfinished, "w") as file:
        file.write("whole")
        file.flush()
        assert not path.exists()
    assert path.read_text() == "whole"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_an_error_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")

    def fail():
        with whole_file(str(path)) as unfinished, open(unfinished, "w") as file:
            file.write("half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert path.read_text() == "old"


def test_text_is_utf_8_with_line_feeds_and_whole_or_not_there(tmp_path):
    path = tmp_path / "text"
    with whole_text(str(path)) as file:
        file.write("ş\n")
        assert not path.exists()
    assert path.read_bytes() == "ş\n".encode()
