"""Encodes tables as non-negative numbers, each column doubled where its values are not amounts.

    raw        X as it is: counts, weights of words, amounts
    shifted    X less the least number of each column
    doubled    each column twice: a = (x - low) / (high - low) and 1 - a, low and high of the column

Shares of a raw or shifted row say nothing of its size. Doubled rows all have the sum d, so that
low is as much a property as high; other units, another sign or a shift of a column change nothing.

Limits  a constant column is 1/2 and 1/2 when doubled. New numbers count as the nearest of the range
        that the table had.
Source  doubling: Greenacre (1984), Theory and Applications of Correspondence Analysis, chapter 6.
"""

from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Table, Vector
from kinfolk.numerics import kinds, operators

ENCODINGS = ("raw", "shifted", "doubled")


class Range(NamedTuple):
    """Smallest and largest value (d,) of each column."""

    low: Vector
    high: Vector


def chosen(X: Table) -> str:
    """Choose the encoding of a table (n, d): "raw" for counts and amounts, else "doubled".

    >>> chosen(np.array([[0, 1], [1, 0]])), chosen(np.array([[0.3, -1.0], [1.2, 2.1]]))
    ('raw', 'doubled')
    """
    if operators.entries(X).min(initial=0.0) < 0:
        return "doubled"
    return "raw" if kinds.kind(X) != "measurements" or kinds.like_words(X) else "doubled"


def range_of(X: Table) -> Range:
    """Smallest and largest value of each column of a table (n, d), in double precision."""
    ends = (X.min(axis=0), X.max(axis=0))
    return Range(*(operators.dense(end).ravel().astype(np.float64) for end in ends))


def encoded(X: Table, encoding: str, columns: Range) -> Table:
    """Encode as non-negative columns (n, d) ("raw" or "shifted") or (n, 2d) ("doubled").

    "raw" sets negative entries to 0, "shifted" subtracts the lowest entry of each column, and
    "doubled" sets a column's share of its range beside 1 less this share.

    >>> X = np.array([[0.0, 5.0], [4.0, 5.0], [1.0, 5.0]])
    >>> encoded(X, "doubled", range_of(X))
    array([[0.  , 0.5 , 1.  , 0.5 ],
           [1.  , 0.5 , 0.  , 0.5 ],
           [0.25, 0.5 , 0.75, 0.5 ]])
    >>> encoded(X, "shifted", range_of(X))
    array([[0., 0.],
           [4., 0.],
           [1., 0.]])
    """
    if encoding == "raw":
        return X if operators.entries(X).min(initial=0.0) >= 0 else _without_negatives(X)
    dense = operators.dense(X).astype(np.float64)
    if encoding == "shifted":
        return np.maximum(dense - columns.low, 0.0)
    width = columns.high - columns.low
    a = np.full(dense.shape, 0.5)
    # Clipped after the division: new numbers beyond the range count as its nearest end.
    np.divide(dense - columns.low, width, out=a, where=width > 0)
    a = np.clip(a, 0.0, 1.0)
    return np.hstack([a, 1.0 - a])


def _without_negatives(X: Table) -> Table:
    X = X.copy()
    entries = operators.entries(X)
    np.maximum(entries, 0.0, out=entries)
    return X
