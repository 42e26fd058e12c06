"""Unicode can write one letter in two ways: ç is one character, or c and a cedilla. To a model these are two words."""

from typing import Collection, List
from unicodedata import is_normalized, normalize


def written_twice(words: Collection[str]) -> List[str]:
    """
    # Parameters

    words : `Collection[str]`
        Distinct; a set or what is as quick to ask.

    # Returns

    `List[str]`
        Those in another normal form than NFC that are there in NFC as well, sorted.
    """
    return sorted(
        word for word in words if not is_normalized("NFC", word) and normalize("NFC", word) in words
    )
