"""
Vectors of words from the words beside them: the positive pointwise mutual information of a word w with
its neighbor c on either side, factorized (Levy and Goldberg 2014; Levy, Goldberg and Dagan 2015):

    PPMI(w, c) = max(0, log p(w, c) / (p(w) p_α(c)))  ≈  (U Σ V^T)(w, c)

Neighbors right beside a word tell its part of speech and its inflection more than what it is about. A vector
is the row of U √Σ, scaled to length one: a frequent word is not longer than a rare one of the same kind.
"""

from typing import Tuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds

from allennlp_svae.data.raw_text import EDGE, RawText

# α smooths the distribution of neighbors, for rare ones would have the highest information.
SMOOTHING = 0.75
# Of the greatest singular value, and of the longest vector.
ROUNDING = 1e-6
# Of fewer words all singular vectors are computed: the solver for the first few, where the text has not so many, makes
# up the others, in each run anew.
SMALL = 500


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
    information = _information(text)
    if min(vectors.shape) > 0 and information.max() > 0:
        left, scales = _singular_vectors(information, dim)
        vectors[:, : len(scales)] = left * np.sqrt(scales)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    # What is left of a word outside of that space is rounding.
    is_inside = lengths > ROUNDING * np.max(lengths, initial=0.0)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=is_inside)


def _singular_vectors(information: csr_matrix, dim: int) -> Tuple[np.ndarray, np.ndarray]:
    """The left ones of the greatest singular values, and these, `dim` of them at most; the same ones in each run."""
    if information.shape[0] < max(SMALL, dim + 1):
        left, scales, _ = np.linalg.svd(information.toarray(), full_matrices=False)
    else:
        left, scales, _ = svds(information, k=dim, random_state=0)
        left, scales = left[:, ::-1], scales[::-1]
    count = min(dim, int((scales > ROUNDING * scales[0]).sum()))
    return left[:, :count], scales[:count]


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
