"""Groups of rows that have the same views, with one matrix for each group.

Where a row i lacks views, the terms of an objective that are quadratic in its coordinates y_i have

    A_i = sum of A_v over the views that row i has,

which is the same for all rows of a group. Nearest rows are found by the views that two rows share:

    |x_i - x_j|^2 = sum_v o_iv o_jv |X_v[i] - X_v[j]|^2 / sum_v o_iv o_jv c_v,

c_v the share of view v in the mean squared distance of rows from their mean.

Symbols  o (n, V) is 1 where row i has view v; A_v (r, r); X_v (n, d_v), 0 where a row lacks v.
Limits   every view there: one group of all rows, and distances of the rows themselves. Rows that
         share no view are infinitely far apart.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import distances, operators, view_centers

RowSet: TypeAlias = slice | NDArray[np.integer]


class RowMatrices(NamedTuple):
    """Symmetric matrices A_i (r, r) of rows i, one for each group of rows.

    >>> A = RowMatrices([np.array([0]), np.array([1])], [np.eye(1), 2 * np.eye(1)])
    >>> A.times(np.array([[3.0], [3.0]])).ravel()
    array([3., 6.])
    """

    groups: Sequence[RowSet]
    matrices: Sequence[Matrix]

    def times(self, Y: Matrix) -> Matrix:
        """Product y_i A_i of each row of Y (n, ..., r) with its matrix."""
        found = np.empty_like(Y)
        for rows, A in zip(self.groups, self.matrices, strict=True):
            found[rows] = Y[rows] @ A
        return found

    def each(self, change: Callable[[Matrix], Matrix]) -> "RowMatrices":
        """Return the matrices with a function applied to each of them."""
        return RowMatrices(self.groups, [change(A) for A in self.matrices])

    def diagonals(self, n: int) -> Matrix:
        """Diagonals (n, r) of the matrices of all rows."""
        found = np.empty((n, len(self.matrices[0])))
        for rows, A in zip(self.groups, self.matrices, strict=True):
            found[rows] = np.diagonal(A)
        return found


def same(A: Matrix) -> RowMatrices:
    """One matrix A (r, r) for all rows."""
    return RowMatrices([slice(None)], [A])


class ViewPatterns:
    """The views that rows have, and groups of rows that have the same views.

    Attributes
    ----------
    there : (n, V) 1 where a row has a view; None: every row has every view

    >>> patterns = ViewPatterns(np.array([[1.0, 0.0], [1.0, 1.0]]))
    >>> patterns.matrices([np.eye(1), 2 * np.eye(1)]).times(np.ones((2, 1))).ravel()
    array([1., 3.])
    >>> patterns.shares(2)
    array([1. , 0.5])
    """

    def __init__(self, there: Matrix | None = None) -> None:
        self.there = None if there is None or there.all() else there
        self._groups: list[RowSet] = [slice(None)]
        self._views: list[NDArray[np.integer]] | None = None
        if self.there is not None:
            kinds, which = np.unique(self.there, axis=0, return_inverse=True)
            self._groups = [np.flatnonzero(which.ravel() == i) for i in range(len(kinds))]
            self._views = [np.flatnonzero(kind) for kind in kinds]

    def seen(self, M: Matrix, v: int) -> Matrix:
        """Rows of M (n, r), with 0 for those that lack the view at position v."""
        return M if self.there is None else M * self.there[:, v, None]

    def shares(self, V: int) -> Vector:
        """Share (V,) of the rows that have each view."""
        return np.ones(V) if self.there is None else self.there.mean(axis=0)

    def matrices(self, parts: Sequence[Matrix], base: float | Matrix = 0.0) -> RowMatrices:
        """Add up the matrices (r, r) of the views that each row has, and `base`."""
        views = self._views or [np.arange(len(parts))]
        return RowMatrices(self._groups, [base + sum(parts[v] for v in own) for own in views])

    def moments(self, Y: Matrix, V: int) -> list[Matrix]:
        """Products Y'O_vY (r, r) of the rows that have each of V views."""
        if self.there is None:
            return [Y.T @ Y] * V
        return [Yv.T @ Y for Yv in (self.seen(Y, v) for v in range(V))]


EVERYTHING = ViewPatterns()
"""Every row has every view."""


def nearest(
    rows: Sequence[Table],
    there: Matrix,
    fitted: Sequence[Table],
    known: Matrix,
    l: int,
    itself: bool = False,
) -> tuple[Matrix, NDArray[np.integer]]:
    """Distances and positions (m, l) of the nearest fitted rows, by the views that both have.

    Parameters
    ----------
    rows, fitted : tables (m, d_v) and (n, d_v) of each view, 0 where a row lacks it
    there, known : (m, V) and (n, V) 1 where a row has a view
    itself : True if both are the same rows, which are not their own neighbors

    >>> X = [np.array([[0.0], [1.0], [0.0]]), np.array([[0.0], [0.0], [3.0]])]
    >>> there = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    >>> lengths, near = nearest(X, there, X, there, 1, itself=True)
    >>> near.ravel(), np.isfinite(lengths).ravel()
    (array([1, 0, 0]), array([ True,  True,  True]))
    """
    sizes = view_centers.scatters(fitted, known) / known.sum(axis=0)
    c = sizes / sizes.sum() if sizes.any() else np.full(len(sizes), 1.0 / len(sizes))
    m = len(there)
    n = len(known)
    lengths = np.empty((m, l))
    near = np.empty((m, l), dtype=int)
    for block in operators.blocks(m, n):
        D = np.zeros((len(there[block]), n))
        for X, V, o, own in zip(rows, fitted, there[block].T, known.T, strict=True):
            D += distances.squared(X[block], operators.dense(V)) * np.outer(o, own)
        shared = (there[block] * c) @ known.T
        D = np.divide(D, shared, out=np.full_like(D, np.inf), where=shared > 0)
        if itself:
            D[np.arange(len(D)), np.arange(m)[block]] = np.inf
        near[block] = np.argsort(D, axis=1, kind="stable")[:, :l]
        lengths[block] = np.sqrt(np.take_along_axis(D, near[block], axis=1))
    return lengths, near
