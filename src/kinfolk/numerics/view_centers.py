"""Cluster centers in several views and distances to them, where rows may lack views.

    z_v[c]  = sum_i o_iv U_ic X_v[i] / sum_i o_iv U_ic
    D_v[i,c] = o_iv |X_v[i] - z_v[c]|^2

Symbols  X_v (n, d_v), z_v (k, d_v), U (n, k) >= 0; o (n, V) is 1 where row i has view v, and 0
         elsewhere, where X_v[i] is 0.
Exact    a distance below `SAME` of the squared lengths is 0, so that equal rows lie on their mean.
Limits   a cluster without weight in a view has the mean of all rows that have the view.
"""

from collections.abc import Sequence

import numpy as np

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import distances, memberships, operators

SAME = 1e-13
"""Squared distances below this share of the squared lengths are 0 but for rounding."""


def squared(X: Table, V: Matrix, there: Vector) -> Matrix:
    """Squared distances (n, k) of the rows of one view to centers V (k, d); 0 for rows without it.

    >>> squared(np.array([[1.0], [0.0]]), np.array([[3.0]]), np.array([1.0, 0.0]))
    array([[4.],
           [0.]])
    """
    X, V = distances.nearby(X, V.astype(np.float64, copy=False))
    found = distances.squared(X, V)
    sizes = distances.squared_norms(X)[:, None] + distances.squared_norms(V)
    found[found <= SAME * sizes] = 0.0
    return found * there[:, None]


def means(X: Table, U: Matrix, there: Vector) -> Matrix:
    """Weighted means (k, d) over the rows that have the view.

    >>> means(np.array([[2.0], [4.0], [0.0]]), np.eye(2)[[0, 0, 1]], np.array([1.0, 1.0, 0.0]))
    array([[3.],
           [3.]])
    """
    if there.all():
        return memberships.centers(X, U)
    rows = np.flatnonzero(there)
    return memberships.centers(X[rows], U[rows])


def scatters(tables: Sequence[Table], there: Matrix) -> Vector:
    """Total scatter (V,) of each view around its mean, over the rows that have it.

    >>> scatters([np.array([[0.0], [2.0], [0.0]])], np.array([[1.0], [1.0], [0.0]]))
    array([2.])
    """
    pairs = zip(tables, there.T, strict=True)
    return np.array([distances.scatter(X[np.flatnonzero(o)]) for X, o in pairs])


def completed(tables: Sequence[Table], there: Matrix) -> Table:
    """Concatenate the views side by side, with a view's mean for rows that lack it.

    >>> completed([np.array([[1.0], [3.0], [0.0]])], np.array([[1.0], [1.0], [0.0]])).ravel()
    array([1., 3., 2.])
    """
    if there.all():
        return operators.hstack(tables)
    found = []
    for X, o in zip(tables, there.T, strict=True):
        whole = operators.dense(X).astype(np.float64)
        whole[o == 0] = operators.mean(X[np.flatnonzero(o)])
        found.append(whole)
    return np.hstack(found)
