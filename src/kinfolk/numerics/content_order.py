"""Order of rows by their content, so that random draws do not depend on the order they came in.

    u[i,j] = X[i,j] / max_i |X[i,j]|
    w[j]   = 1 + c(mean_i u, mean_i u^2, mean_i u^3) / 2,  -1 <= c <= 1 smooth
    key[i] = sum_j u[i,j] w[j]

Rows are sorted by key. Rows of one key are sorted by a second one, of u on a logarithmic scale and
of weights that are the means of u times the first keys; rows of one key in both count as equal.

Exact    all sums are of whole numbers, the terms times 2^30 and rounded: they are the same in any
         order of rows and of columns. Keys do not depend on the units of the columns.
Rounding a change of X in its last digits changes a key by as little, and so swaps rows only where
         keys agree to 9 digits.
Symbols  X (n, d) dense or CSR, which stays sparse.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Table, Vector
from kinfolk.numerics import memo, operators

UNIT = 2.0**30
"""Parts of 1 to which terms are rounded: sums of 2^22 terms up to 2 are exact in 53 digits."""

MOST_DIGITS = 22
"""Binary digits of the most terms of a sum in units of 1 / `UNIT`; those of more are larger."""

BLOCK = 1 << 15
"""Most entries of a dense table that are worked on at once, so that they stay in the cache."""

LOG_SCALE = 8.0
"""Halvings after which an entry counts half as much as the largest of its column."""


class ContentOrder(NamedTuple):
    """Positions (n,) of the rows in their order by content, and those (T,) of the tasks."""

    rows: NDArray[np.intp]
    tasks: NDArray[np.intp]

    @property
    def is_given(self) -> bool:
        """True if the rows are in this order already."""
        return bool(np.all(self.rows[:-1] < self.rows[1:]))


def order(X: Table, codes: Labels | None = None) -> ContentOrder:
    """Order of the rows of X (n, d) and of the tasks (n,) they are in, whatever order they have.

    Tasks are sorted by their numbers of rows, then by the sums of their keys. Equal rows of
    different tasks are in the order of the tasks.

    >>> X = np.array([[5.0, 1.0], [0.0, 2.0], [3.0, 1.0]])
    >>> order(X).rows, X[order(X).rows, 0]
    (array([1, 2, 0]), array([0., 3., 5.]))
    >>> order(X[::-1], np.array([1, 0, 0])).tasks
    array([1, 0])
    """
    first, second = keys(X)
    n = len(first)
    codes = np.zeros(n, dtype=int) if codes is None else codes
    sizes = np.bincount(codes)
    # Whole numbers again: places among the distinct keys, whose sums are exact.
    sums = [
        np.bincount(codes, weights=np.unique(key, return_inverse=True)[1])
        for key in (second, first)
    ]
    tasks = np.lexsort([*sums, sizes])
    rank = np.empty_like(tasks)
    rank[tasks] = np.arange(len(tasks))
    return ContentOrder(np.lexsort([rank[codes], second, first]), tasks)


def columns(X: Table) -> NDArray[np.intp]:
    """Positions (d,) of the columns of X (n, d) by content, whatever order rows and columns have.

    >>> columns(np.array([[3.0, 0.0, 1.0], [4.0, 0.0, 1.0]]))
    array([1, 0, 2])
    """
    return order(sp.csr_array(X.T) if sp.issparse(X) else X.T).rows


def keys(X: Table) -> tuple[Vector, Vector]:
    """Two keys (n,) of each row; the second one is 0 unless rows have the same first one."""
    terms = _Terms(X)
    first = terms.row_sums(_weights(*terms.column_moments()), compressed=False)
    if len(np.unique(first)) == len(first):
        return first, np.zeros_like(first)
    by_key = first / max(1.0, np.abs(first).max(initial=0.0))
    return first, terms.row_sums(1.5 + terms.column_means(by_key), compressed=True)


@memo.remembered
def sorted_rows(X: Table, codes: Labels) -> tuple[Table, ContentOrder]:
    """Rows of X (n, d) by content, and their order; X itself if it is in that order."""
    found = order(X, codes)
    return (X if found.is_given else X[found.rows]), found


def _weights(*moments: Vector) -> Vector:
    """w (d,), from means of the powers of each column's entries."""
    first, second, third = moments
    # A cosine of 8 times an angle, by products alone, which are the same on every machine.
    c: Vector = np.clip(0.61 * first + 0.29 * second - 0.43 * third, -1.0, 1.0)
    for _ in range(3):
        c = 2.0 * c * c - 1.0
    return 1.0 + 0.5 * c


class _Terms:
    """Entries of a table in units of the largest of their column, in blocks of rows."""

    def __init__(self, X: Table) -> None:
        self.sparse = sp.issparse(X)
        self.X: Any = sp.csr_array(X) if self.sparse else X
        self.n, self.d = X.shape
        largest = np.maximum(_dense(self.X.max(axis=0)), -_dense(self.X.min(axis=0)))
        self.largest = np.where(largest > 0, largest, 1.0)
        more = (max(self.n, self.d) - 1).bit_length() - MOST_DIGITS
        self.unit = UNIT / 2 ** max(0, more)

    def column_moments(self) -> list[Vector]:
        """Means (d,) of u, of u^2 and of u^3."""
        sums = np.zeros((3, self.d))
        for _, columns, u in self._blocks():
            terms = u
            for power in range(3):
                sums[power] += self._column_sums(terms, columns)
                terms = terms * u
        return list(sums / (self.unit * self.n))

    def column_means(self, by_row: Vector) -> Vector:
        """Means (d,) of u times a number (n,) of each row."""
        total = np.zeros(self.d)
        for rows, columns, u in self._blocks():
            factor = by_row[rows, None] if columns is None else by_row.repeat(self._lengths())
            total += self._column_sums(u * factor, columns)
        return total / (self.unit * self.n)

    def row_sums(self, weights: Vector, *, compressed: bool) -> Vector:
        """Sums (n,) of the entries of each row times the weights (d,) of their columns."""
        found = np.zeros(self.n)
        for rows, columns, u in self._blocks():
            own = _compressed(u) if compressed else u
            if columns is None:
                found[rows] = self._whole(own * weights).sum(axis=1)
            else:
                whole = self._whole(own * weights[columns])
                owner = np.repeat(np.arange(self.n), self._lengths())
                found += np.bincount(owner, weights=whole, minlength=self.n)
        return found

    def _column_sums(self, terms: Vector, columns: Any) -> Vector:
        whole = self._whole(terms)
        if columns is None:
            return whole.sum(axis=0)
        sums: Vector = np.bincount(columns, weights=whole, minlength=self.d).astype(float)
        return sums

    def _whole(self, terms: Vector) -> Vector:
        return np.rint(terms * self.unit)

    def _lengths(self) -> NDArray[np.intp]:
        return np.diff(self.X.indptr)

    def _blocks(self) -> Iterator[tuple[slice, Any, Vector]]:
        """Rows, columns and u of blocks of a dense table, or of all entries of a CSR table."""
        if self.sparse:
            yield slice(None), self.X.indices, self.X.data / self.largest[self.X.indices]
            return
        step = max(1, BLOCK // max(self.d, 1))
        for start in range(0, self.n, step):
            rows = slice(start, start + step)
            yield rows, None, self.X[rows] / self.largest


def _dense(row: Any) -> Vector:
    found: Vector = operators.dense(row).astype(float).ravel()
    return found


def _compressed(u: Vector) -> Vector:
    """Entries -1 <= u <= 1 with their signs on a logarithmic scale, which tells small ones apart.

    >>> _compressed(np.array([1.0, -0.5, 2.0**-40, 0.0])).round(2)
    array([ 1.  , -0.89,  0.17,  0.  ])
    """
    mantissa, exponent = np.frexp(np.abs(u))
    halvings = 2.0 - exponent - 2.0 * mantissa  # -log2 |u|, straight between powers of 2
    return np.sign(u) * (LOG_SCALE / (LOG_SCALE + halvings))
