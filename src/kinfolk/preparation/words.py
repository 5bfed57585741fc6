"""Counts the terms of texts: lower case, at least three letters of any alphabet."""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer

from kinfolk import progress
from kinfolk.errors import InputError

TOKEN = r"[^\W\d_]{3,}"
"""A term: three or more letters, without digits, underscores or punctuation."""


def learn(
    texts: Sequence[str], stop_words: str | None = "english", n_terms: int | None = None
) -> tuple[tuple[str, ...], sp.csr_array]:
    """Choose the terms that stand in most texts and count them.

    Parameters
    ----------
    texts : (n,) documents
    stop_words : "english" to leave out scikit-learn's list, or None
    n_terms : how many terms to keep by document frequency, ties by alphabet; None keeps all

    Returns
    -------
    terms : (d,) in alphabetical order
    counts : (n, d) how often each text holds each term, float64

    Raises
    ------
    InputError
        If no text holds a term.

    Examples
    --------
    >>> terms, counts = learn(["cat cat cat", "dog bird", "bird"], n_terms=2)
    >>> terms
    ('bird', 'cat')
    >>> counts.toarray()
    array([[0., 3.],
           [1., 0.],
           [1., 0.]])
    """
    counter = CountVectorizer(token_pattern=TOKEN, stop_words=stop_words, dtype=np.float64)
    analyze = counter.build_analyzer()
    if not any(analyze(text) for text in texts):
        raise InputError(
            f"None of the {len(texts)} texts holds a word of three or more letters"
            f"{' beside English function words' if stop_words else ''}: check the column of texts."
        )
    counts = _rows(counter.fit_transform(progress.track(texts, "counting words")))
    order = np.argsort(-frequencies(counts), kind="stable")  # terms are in alphabetical order
    chosen = np.sort(order[:n_terms])
    return tuple(counter.get_feature_names_out()[chosen].tolist()), _rows(counts[:, chosen])


def count(texts: Sequence[str], terms: Sequence[str]) -> sp.csr_array:
    """Count given terms (d,) in new texts (n,), as `learn` did.

    Examples
    --------
    >>> count(["A cat!", "42"], ["bird", "cat"]).toarray()
    array([[0., 1.],
           [0., 0.]])
    """
    counter = CountVectorizer(token_pattern=TOKEN, vocabulary=list(terms), dtype=np.float64)
    return _rows(counter.transform(progress.track(texts, "counting words")))


def rarity(counts: sp.csr_array) -> NDArray[np.float64]:
    """Return ln((1 + n) / (1 + df)) + 1 for each term, as scikit-learn's smoothed idf.

    Examples
    --------
    >>> rarity(sp.csr_array([[1.0, 2.0], [1.0, 0.0]]))
    array([1.   , 1.405])
    """
    return np.log((1 + counts.shape[0]) / (1 + frequencies(counts))) + 1


def weighted(counts: sp.csr_array, weights: NDArray[np.float64]) -> sp.csr_array:
    """Multiply each column of counts (n, d) by its weight.

    Examples
    --------
    >>> weighted(sp.csr_array([[1.0, 2.0]]), np.array([1.0, 10.0])).toarray()
    array([[ 1., 20.]])
    """
    parts = (counts.data * weights[counts.indices], counts.indices, counts.indptr)
    return sp.csr_array(parts, shape=counts.shape)


def frequencies(counts: sp.csr_array) -> NDArray[np.intp]:
    """Return in how many rows each column of canonical counts is not zero."""
    return np.bincount(counts.indices, minlength=counts.shape[1])


def _rows(counts: sp.csr_array) -> sp.csr_array:
    rows = sp.csr_array(counts)
    rows.sort_indices()
    return rows
