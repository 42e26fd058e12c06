import bz2
import gzip
import lzma

import pytest

from allennlp_svae.data.errors import DataError
from allennlp_svae.data.text_file import check_new, read_lines


def test_lines_end_only_at_line_feeds(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffa\r\nb\u2028c\n\nd\u0085".encode())
    assert list(read_lines(str(path))) == [(1, "a"), (2, "b\u2028c"), (3, ""), (4, "d\u0085")]


def test_is_lazy(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\n\xff\n")
    assert next(read_lines(str(path))).text == "a"


def test_other_encodings_are_an_error_with_a_line(tmp_path):
    path = tmp_path / "latin1.txt"
    path.write_bytes("gut\nschön\n".encode("latin-1"))
    with pytest.raises(DataError, match="UTF-8") as caught:
        list(read_lines(str(path)))
    assert (caught.value.path, caught.value.line) == (str(path), 2)
    assert caught.value.remedy


@pytest.mark.parametrize("name", ["", "none.txt"])
def test_no_file_is_an_error(tmp_path, name):
    with pytest.raises(DataError, match=r"no such file|no file"):
        list(read_lines(str(tmp_path / name)))


def test_what_is_there_is_not_to_be_written_over(tmp_path):
    check_new(str(tmp_path / "new"), "--output")
    check_new("new", "--output")
    (tmp_path / "link").symlink_to("nowhere")
    for kept in (tmp_path, tmp_path / "link"):
        with pytest.raises(DataError, match=r"exists and is left as it is.*another --output,"):
            check_new(str(kept), "--output")
    with pytest.raises(DataError, match=r"There is no folder for --output\..*Remedy") as raised:
        check_new(str(tmp_path / "folder" / "new"), "--output")
    assert raised.value.path == str(tmp_path / "folder")


def test_an_empty_name_is_no_name():
    with pytest.raises(DataError, match=r"^--output is empty.*Remedy"):
        check_new("", "--output")


@pytest.mark.parametrize("pack", [gzip, bz2, lzma], ids=["gz", "bz2", "xz"])
def test_packed_files_are_read_line_by_line(tmp_path, pack):
    suffix = {gzip: ".gz", bz2: ".bz2", lzma: ".xz"}[pack]
    path = tmp_path / f"words{suffix}"
    path.write_bytes(pack.compress("ä\r\nö\n".encode() + b"\xff"))
    lines = read_lines(str(path))
    assert [next(lines).text, next(lines).text] == ["ä", "ö"]
    with pytest.raises(DataError, match=rf"words{suffix}:3: The line is not UTF-8"):
        next(lines)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(DataError, match=r"cannot be unpacked"):
        list(read_lines(str(path)))
