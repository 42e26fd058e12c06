"""
Vectors of words from the words beside them: the positive pointwise mutual information of a word w with
its neighbor c on either side, factorized (Levy and Goldberg 2014; Levy, Goldberg and Dagan 2015):

    PPMI(w, c) = max(0, log p(w, c) / (p(w) p_α(c)))  ≈  (U Σ V^T)(w, c)

Neighbors right beside a word tell its part of speech and its inflection more than what it is about. A vector
is the row of U √Σ, scaled to length one: a frequent word is not longer than a rare one of the same kind.
"""

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds

from allennlp_svae.data.raw_text import EDGE, RawText

# α smooths the distribution of neighbors, for rare ones would have the highest information.
SMOOTHING = 0.75
# Of the longest vector.
ROUNDING = 1e-8


def neighbor_vectors(text: RawText, dim: int) -> np.ndarray:
    """
    # Parameters

    text : `RawText`
    dim : `int`
        How many of the largest singular values count.

    # Returns

    Zeros in the dimensions that the text does not have, and for words that have none of these; shape
    (num_words, dim).
    """
    vectors = np.zeros((len(text.words), dim))
    # The solver finds fewer singular values than there are rows.
    rank = min(dim, len(text.words) - 1)
    information = _information(text)
    if rank > 0 and information.max() > 0:
        # Equal singular values have any basis of their space: the same one in each run.
        left, scales, _ = svds(information, k=rank, random_state=0)
        vectors[:, :rank] = (left * np.sqrt(scales))[:, ::-1]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    # What is left of a word outside of that space is rounding.
    is_inside = lengths > ROUNDING * np.max(lengths, initial=0.0)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=is_inside)


def _information(text: RawText) -> csr_matrix:
    """PPMI of words and neighbors, those to the left before those to the right; sentence ends are one too."""
    size = len(text.words) + 1
    before, after = text.sequence[:-1], text.sequence[1:]
    rows = np.concatenate([after, before])
    columns = np.concatenate([before % size, after % size + size])
    pairs = csr_matrix(
        (np.ones(int((rows != EDGE).sum())), (rows[rows != EDGE], columns[rows != EDGE])),
        shape=(len(text.words), 2 * size),
    )
    of_words = np.asarray(pairs.sum(axis=1)).ravel()
    of_neighbors = np.asarray(pairs.sum(axis=0)).ravel() ** SMOOTHING
    pairs = pairs.tocoo()
    expected = of_words[pairs.row] * (of_neighbors / max(1.0, of_neighbors.sum()))[pairs.col]
    pairs.data = np.maximum(0.0, np.log(pairs.data / expected))
    return pairs.tocsr()
