"""Sorts rows by content, so that random draws do not depend on the order of the given rows.

    u[i,j] = (X[i,j] - min_i X[i,j]) / (max_i X[i,j] - min_i X[i,j]), 0 in a constant column
    w[j]   = 1 + c(mean_i u, mean_i u^2, mean_i u^3) / 2,  -1 <= c <= 1 smooth
    key[i] = sum_j u[i,j] w[j]

Rows are sorted by key. Rows of one key are sorted by a second one, of X over the largest of its
column on a logarithmic scale, times weights of the columns: 1.5 plus the mean of X over its largest
times the first keys. Rows of one key in both count as equal.

Exact    all sums are of whole numbers, the terms times 2^30 and rounded: they are the same in any
         order of rows and of columns, in a dense and in a sparse table.
Units    units and shifts of columns do not matter.
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
"""Terms are rounded to multiples of 1 / this: sums of 2^22 terms up to 2 are exact in 53 bits."""

MOST_DIGITS = 22
"""Sums of more than 2 to this power terms have larger units than 1 / `UNIT`, to stay exact."""

BLOCK = 1 << 15
"""Most entries of a dense table that are worked on at once, so that they stay in the cache."""

LOG_SCALE = 8.0
"""Halvings after which an entry counts half as much as the largest of its column."""


class ContentOrder(NamedTuple):
    """Permutations that sort the rows (n,) and the tasks (T,) by content."""

    rows: NDArray[np.intp]
    tasks: NDArray[np.intp]

    @property
    def is_given(self) -> bool:
        """True if the rows are sorted already."""
        return bool(np.all(self.rows[:-1] < self.rows[1:]))


def order(X: Table, codes: Labels | None = None) -> ContentOrder:
    """Permutations that sort rows X (n, d) and their tasks by content, whatever order they had.

    Rows of a task are together, in the order they have in a table of their own. Tasks are sorted by
    their numbers of rows, then by the sums of their keys and by their largest entries.

    >>> X = np.array([[5.0, 1.0], [0.0, 2.0], [3.0, 1.0]])
    >>> order(X).rows, X[order(X).rows, 0]
    (array([2, 0, 1]), array([3., 5., 0.]))
    >>> order(X, np.array([0, 0, 1]))
    ContentOrder(rows=array([2, 1, 0]), tasks=array([1, 0]))
    """
    codes = np.zeros(X.shape[0], dtype=int) if codes is None else codes
    rows = [np.flatnonzero(codes == t) for t in range(int(codes.max(initial=0)) + 1)]
    tables = [X[own] if len(rows) > 1 else X for own in rows]
    found = [keys(own) for own in tables]
    # Whole numbers have exact sums, in any order.
    sums = [np.rint(first / UNIT * 2.0**8).sum() for first, _ in found]
    largest = [operators.entries(own).max(initial=0.0) for own in tables]
    tasks = np.lexsort([largest, sums, [len(own) for own in rows]])
    by_key = [own[np.lexsort(pair[::-1])] for own, pair in zip(rows, found, strict=True)]
    return ContentOrder(np.concatenate([by_key[t] for t in tasks]), tasks)


@memo.remembered
def columns(X: Table) -> NDArray[np.intp]:
    """Permutation (d,) that sorts the columns of X (n, d) by content, whatever the order of rows.

    >>> columns(np.array([[3.0, 0.0, 1.0], [4.0, 0.0, 1.0]]))
    array([1, 2, 0])
    """
    return order(sp.csr_array(X.T) if sp.issparse(X) else X.T).rows


def sorted_columns(X: Table) -> Table:
    """Sort the columns of X (n, d) by content, so that sums over them round the same way."""
    return X[:, columns(X)]


def keys(X: Table) -> tuple[Vector, Vector]:
    """Two sort keys (n,) per row; the second breaks ties of the first, and is 0 without ties."""
    terms = _Terms(X)
    first = terms.row_sums(_weights(*terms.column_moments()))
    if len(np.unique(first)) == len(first):
        return first, np.zeros_like(first)
    by_key = first / max(1.0, np.abs(first).max(initial=0.0))
    return first, terms.row_sums_of_logs(1.5 + terms.column_means(by_key))


@memo.remembered
def sorted_rows(X: Table, codes: Labels) -> tuple[Table, ContentOrder]:
    """Sort the rows of X (n, d) by content; return them (X itself if sorted) and their order."""
    found = order(X, codes)
    return (X if found.is_given else X[found.rows]), found


def _weights(*moments: Vector) -> Vector:
    """Weight (d,) of each column, a smooth function of the first moments of its entries."""
    first, second, third = moments
    # A cosine of 8 times an angle, by products alone, which are the same on every machine.
    c: Vector = np.clip(0.61 * first + 0.29 * second - 0.43 * third, -1.0, 1.0)
    for _ in range(3):
        c = 2.0 * c * c - 1.0
    return 1.0 + 0.5 * c


class _Terms:
    """Entries of a table scaled to [0, 1] per column, read in blocks of rows."""

    def __init__(self, X: Table) -> None:
        self.sparse = sp.issparse(X)
        table: Any = X
        self.X: Any = sp.csr_array(table) if self.sparse else table
        self.n, self.d = X.shape
        # Halves, whose differences are finite.
        self.low = _row(self.X.min(axis=0)) / 2
        high = _row(self.X.max(axis=0)) / 2
        self.width = np.where(high > self.low, high - self.low, np.inf)
        self.largest = np.maximum(np.maximum(high, -self.low), np.finfo(float).tiny)
        more = (max(self.n, self.d) - 1).bit_length() - MOST_DIGITS
        self.unit = UNIT / 2 ** max(0, more)
        ends = self.X.indptr if self.sparse else None
        self._owner = None if ends is None else np.repeat(np.arange(self.n), np.diff(ends))

    def column_moments(self) -> list[Vector]:
        """Means (d,) of u, u^2 and u^3 for the scaled entries u of each column."""
        sums = np.zeros((3, self.d))
        for _, columns, x in self._blocks():
            u = self._u(x, columns)
            zero = self._u(0.0, slice(None))
            terms, of_zero = u, zero
            for power in range(3):
                sums[power] += self._column_sums(terms, of_zero, columns)
                terms = terms * u
                of_zero = of_zero * zero
        return list(sums / (self.unit * self.n))

    def column_means(self, by_row: Vector) -> Vector:
        """Mean (d,) over rows of X / (largest of the column) times a number (n,) per row."""
        total = np.zeros(self.d)
        for rows, columns, x in self._blocks():
            share = x / self.largest[columns]
            factor = by_row[rows, None] if self._owner is None else by_row[self._owner]
            total += self._column_sums(share * factor, np.zeros(self.d), columns)
        return total / (self.unit * self.n)

    def row_sums(self, weights: Vector) -> Vector:
        """Sum (n,), in whole units, of the scaled entries of each row times weights (d,)."""
        found = np.zeros(self.n)
        of_zero = self._whole(self._u(0.0, slice(None)) * weights)
        for rows, columns, x in self._blocks():
            whole = self._whole(self._u(x, columns) * weights[columns])
            if self.sparse:
                whole -= of_zero[columns]
            found[rows] += self._row_sums(whole)
        return found + of_zero.sum() if self.sparse else found

    def row_sums_of_logs(self, weights: Vector) -> Vector:
        """Sum (n,), in whole units, of log-scaled entries of each row times weights (d,)."""
        found = np.zeros(self.n)
        for rows, columns, x in self._blocks():
            share = _compressed(x / self.largest[columns])
            found[rows] += self._row_sums(self._whole(share * weights[columns]))
        return found

    def _u(self, x: Any, columns: Any) -> Any:
        return (x - self.low[columns]) / self.width[columns]

    def _row_sums(self, whole: Vector) -> Vector:
        if self._owner is None:
            found: Vector = whole.sum(axis=1)
            return found
        return np.bincount(self._owner, weights=whole, minlength=self.n).astype(float)

    def _column_sums(self, terms: Vector, of_zero: Vector, columns: Any) -> Vector:
        """Sums (d,) over rows; `of_zero` (d,) is the term of an implicit zero of a sparse table."""
        whole = self._whole(terms)
        if self._owner is None:
            found: Vector = whole.sum(axis=0)
            return found
        stored = np.bincount(columns, minlength=self.d)
        sums = np.bincount(columns, weights=whole, minlength=self.d).astype(float)
        return sums + (self.n - stored) * self._whole(of_zero)

    def _whole(self, terms: Vector) -> Vector:
        return np.rint(terms * self.unit)

    def _blocks(self) -> Iterator[tuple[slice, Any, Vector]]:
        """Yield row slice, column positions and halved entries of blocks of X; CSR is one block."""
        if self.sparse:
            yield slice(None), self.X.indices, self.X.data.astype(float) / 2
            return
        step = max(1, BLOCK // max(self.d, 1))
        for start in range(0, self.n, step):
            rows = slice(start, start + step)
            yield rows, slice(None), self.X[rows].astype(float) / 2


def _row(found: Any) -> Vector:
    row: Vector = operators.dense(found).astype(float).ravel()
    return row


def _compressed(u: Vector) -> Vector:
    """Map entries -1 <= u <= 1 to a signed logarithmic scale, which separates small ones.

    >>> _compressed(np.array([1.0, -0.5, 2.0**-40, 0.0])).round(2)
    array([ 1.  , -0.89,  0.17,  0.  ])
    """
    mantissa, exponent = np.frexp(np.abs(u))
    halvings = 2.0 - exponent - 2.0 * mantissa  # -log2 |u|, straight between powers of 2
    return np.sign(u) * (LOG_SCALE / (LOG_SCALE + halvings))
