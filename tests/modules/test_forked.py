import pickle

import pytest

from allennlp_svae.modules.forked import with_origin


class PickyError(Exception):
    """Pickled by its message alone, which is not what it is made of."""

    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")


class BoundError(Exception):
    """Holds what no process can give to another."""

    def __init__(self) -> None:
        super().__init__("bound")
        self.here = lambda: self


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (KeyError("lemma"), KeyError, "'lemma'"),
        (PickyError("lemma", "missing"), RuntimeError, "PickyError: lemma: missing"),
        (BoundError(), RuntimeError, "BoundError: bound"),
    ],
)
def test_an_error_arrives_with_where_it_was_raised(error: Exception, kind: type, said: str) -> None:
    def raise_it() -> None:
        raise error

    try:
        raise_it()
    except Exception as raised:
        arrived = pickle.loads(pickle.dumps(with_origin(raised)))
    assert type(arrived) is kind
    assert str(arrived) == said
    (note,) = arrived.__notes__
    assert "in raise_it" in note
