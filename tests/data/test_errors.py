import pytest

from allennlp_svae.data.errors import DataError


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("No.",), "No."),
        (("No.", "a.tsv"), "a.tsv: No."),
        (("No.", "a.tsv", 3), "a.tsv:3: No."),
        (("No.", "a.tsv", 3, "mend it."), "a.tsv:3: No. Remedy: mend it."),
    ],
)
def test_says_what_where_and_what_to_do(arguments, message):
    assert str(DataError(*arguments)) == message
