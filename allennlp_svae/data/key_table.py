"""Where many keys stand in an array, all at once."""

import numpy as np

# Knuth's multiplicative hashing: by 2^64 divided by the golden ratio, of whose product the first bits are the slot.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class KeyTable:
    """
    A hash table with open addressing: a key is in the first slot from its own one on that was free. It is ten times as
    fast as a binary search.

    # Parameters

    keys : `np.ndarray`
        Distinct integers, not negative; shape (num_keys,).
    """

    def __init__(self, keys: np.ndarray) -> None:
        self.num_keys = len(keys)
        # At most a quarter of the slots are taken.
        num_bits = max(1, (4 * len(keys)).bit_length())
        self._shift = np.uint64(64 - num_bits)
        self._mask = (1 << num_bits) - 1
        # In a free slot is the place of a key that is none.
        self._keys = np.append(keys, -1)
        self._slots = np.full(self._mask + 1, self.num_keys, np.int32)
        slots, waiting = self._hash(keys), np.arange(len(keys))
        while len(waiting):
            is_free = self._slots[slots[waiting]] == self.num_keys
            self._slots[slots[waiting[is_free]]] = waiting[is_free]
            waiting = waiting[self._slots[slots[waiting]] != waiting]
            slots[waiting] = (slots[waiting] + 1) & self._mask

    def find(self, keys: np.ndarray) -> np.ndarray:
        """The place of each key in the array, `num_keys` where it is not there; shape (num_asked,)."""
        slots = self._hash(keys)
        places = self._slots[slots]
        (wrong,) = np.nonzero((self._keys[places] != keys) & (places != self.num_keys))
        while len(wrong):
            slots[wrong] = (slots[wrong] + 1) & self._mask
            found = self._slots[slots[wrong]]
            places[wrong] = found
            wrong = wrong[(self._keys[found] != keys[wrong]) & (found != self.num_keys)]
        return places

    def _hash(self, keys: np.ndarray) -> np.ndarray:
        return ((keys.astype(np.uint64) * _FACTOR) >> self._shift).astype(np.int64)
