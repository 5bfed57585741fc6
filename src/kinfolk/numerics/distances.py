"""Squared distances, lengths and cosines of dense and sparse rows, also of other libraries.

Exact  |x - v|^2 = |x|^2 - 2 x'v + |v|^2 is one matrix product, but its terms cancel where rows lie
       far from zero: at 5e8, with spread 1, no digit is left. Dense rows are then counted from
       their mean, which changes no distance. Sparse rows stay as they are: less a mean they
       would be dense.
"""

from typing import overload

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Matrix, Operand, Table, Vector
from kinfolk.numerics import backend, operators

FAR = 1e4
"""Rows are far from 0 if their mean is 100 times as long as their deviations from it."""

ROUNDING = 1e-30
"""Squared deviations below this share of the squared lengths are rounding of the mean."""


def origin(V: Table, far: float = FAR) -> Vector | None:
    """Mean (d,) of dense rows that are far from 0 relative to their spread, else None.

    Far: the squared length of the mean is more than `far` times the mean squared deviation.

    >>> origin(np.array([[5e8, 1.0], [5e8, 3.0]]))
    array([5.e+08, 2.e+00])
    >>> print(origin(np.array([[5.0], [7.0]])))
    None
    """
    if sp.issparse(V) or not len(V) or not is_far(V, far):
        return None
    return operators.mean(V)


def center(X: Table, weight: Vector | None = None) -> Vector:
    """Mean (d,) of the rows, exact in columns of equal numbers, where it is rounded otherwise.

    With weights (n,) a row counts as so many equal ones.

    >>> bool(np.full(1000, 0.1).mean() == 0.1), bool(center(np.full((1000, 1), 0.1))[0] == 0.1)
    (False, True)
    """
    if weight is None:
        mean = operators.mean(X)
    else:
        mean = operators.crossed(X, weight[:, None]).ravel() / weight.sum()
    if backend.is_other(X):
        return mean
    low, high = (operators.dense(end).ravel() for end in (X.min(axis=0), X.max(axis=0)))
    return np.where(low == high, low, mean)


def is_far(V: Table, far: float) -> bool:
    """True if the squared length of the rows' mean exceeds `far` mean squared deviations.

    >>> is_far(sp.csr_array([[5e8, 1.0], [5e8, 3.0]]), 1e12)
    True
    """
    mean = operators.mean(V)
    size = float(mean @ mean)
    # The difference has no right digit where rows are far, and is then small beside the size.
    spread = float(squared_norms(V).sum()) / V.shape[0] - size
    return size > far * spread


@overload
def nearby(X: Table, V: Matrix) -> tuple[Table, Matrix]: ...
@overload
def nearby(X: Table, V: Table) -> tuple[Table, Table]: ...
def nearby(X: Table, V: Table) -> tuple[Table, Table]:
    """Rows X (n, d) and V (k, d) less the mean of V, if V is far from 0; sparse rows stay.

    >>> nearby(np.array([[5e8]]), np.array([[5e8 - 1.0], [5e8 + 1.0]]))[0]
    array([[0.]])
    """
    middle = None if sp.issparse(X) else origin(V)
    if middle is None:
        return X, V
    middle = middle.astype(backend.precision(X), copy=False)  # rounded alike for both
    return _less(X, middle), _less(V, middle)


def _less(X: Table, middle: Vector) -> Matrix:
    """Subtract a row from X (n, d), with 0 where only rounding error is left."""
    if backend.is_other(X):
        xp = backend.namespace(X)
        middle = backend.beside(middle, X)
        away = X - middle
        return xp.where(xp.abs(away) <= ROUNDING**0.5 * xp.abs(middle), 0.0 * away, away)
    rows: Matrix = operators.dense(X) - middle
    rows[np.abs(rows) <= np.sqrt(ROUNDING) * np.abs(middle)] = 0.0
    return rows


def squared_norms(X: Operand) -> Vector:
    """Squared lengths |X[i]|^2 of the rows, (n,), in double precision.

    >>> squared_norms(np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([25.,  1.])
    """
    if sp.issparse(X):
        return operators.row_sums(X.power(2, dtype=np.float64))
    if backend.is_other(X):
        xp = backend.namespace(X)
        return xp.sum(xp.square(backend.double(X)), axis=1)
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


def squared(X: Table, V: Matrix) -> Matrix:
    """Squared distances |X[i] - V[k]|^2, (n, k), never below 0; X may be sparse.

    >>> squared(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 0.0]]))
    array([[ 0.],
           [25.]])
    >>> squared(np.array([[5e8], [5e8 + 3.0]]), np.array([[5e8]])).ravel()
    array([0., 9.])
    """
    X, V = nearby(X, V)
    D = operators.product(X, V.T)
    D *= -2.0
    D += squared_norms(X)[:, None]
    D += backend.beside(squared_norms(V), D)[None, :]
    return backend.not_negative(D)


def scatter(X: Table) -> float:
    """Total scatter sum_i |X[i] - mean|^2 in squared units of X, the scale of tolerances.

    >>> scatter(np.array([[0.0], [1.0], [5.0]]))
    14.0
    """
    return scatter_about(X, center(X))


def scatter_about(X: Table, mean: Vector, weight: Vector | None = None) -> float:
    """Weighted scatter sum_i w[i] |X[i] - mean|^2 of rows X (n, d) about their mean (d,).

    >>> scatter_about(np.array([[5e8], [5e8 + 3.0]]), np.array([5e8 + 1.0]), np.array([2.0, 1.0]))
    6.0
    """
    norms = squared_norms(X)
    squares = backend.total(norms, weight)
    mass = X.shape[0] if weight is None else float(weight.sum())
    found = squares - mass * float(mean @ mean)
    if squares <= FAR * found:
        return found
    # The terms cancel; the sum of the deviations takes longer and loses nothing.
    w = np.ones(X.shape[0]) if weight is None else weight
    if sp.issparse(X):
        found = _sparse_scatter(sp.coo_array(X), mean, w)
    else:
        middle = backend.beside(mean, X)
        parts = operators.blocks(*X.shape)
        found = sum(
            backend.total(squared_norms(backend.taken(X, part) - middle), w[part]) for part in parts
        )
    return found if found > ROUNDING * squares else 0.0


def _sparse_scatter(X: sp.coo_array, mean: Vector, w: Vector) -> float:
    """Weighted scatter of a sparse table about its mean, counting implicit zeros."""
    i, j = X.coords
    stored = w[i] @ np.square(X.data - mean[j])
    zeros = w.sum() - np.bincount(j, w[i], minlength=X.shape[1])
    return float(stored + zeros @ np.square(mean))


@overload
def unit_rows(X: Matrix) -> Matrix: ...
@overload
def unit_rows(X: Table) -> Table: ...
def unit_rows(X: Table) -> Table:
    """Scale rows to unit Euclidean length; rows of zeros stay zero.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    return rows_times(X, inverse_lengths(squared_norms(X)))


def inverse_lengths(norms: Vector) -> Vector:
    """1 / sqrt(norms) (n,) for squared lengths; 0 where a length is 0."""
    if backend.is_other(norms):
        xp = backend.namespace(norms)
        filled = norms > 0
        return xp.where(filled, 1.0 / xp.sqrt(xp.where(filled, norms, 1.0)), 0.0 * norms)
    lengths = np.sqrt(norms)
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)


@overload
def rows_times(X: Matrix, scale: Vector) -> Matrix: ...
@overload
def rows_times(X: Table, scale: Vector) -> Table: ...
def rows_times(X: Table, scale: Vector) -> Table:
    """Multiply row i of X (n, d) by scale[i]; CSR stays CSR, in the same precision."""
    if backend.is_other(X):
        scale = backend.beside(scale, X)
        return X * backend.namespace(X).astype(scale, X.dtype, copy=False)[:, None]
    scale = scale.astype(X.dtype, copy=False)
    if sp.issparse(X):
        return sp.csr_array(sp.diags_array(scale) @ X)
    return X * scale[:, None]


def paired_cosines(A: Table, B: Table) -> Vector:
    """Cosine (m,) of each row of A (m, d) with the same row of B (m, d); 0 for a row of zeros.

    >>> paired_cosines(np.array([[2.0, 0.0], [1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    array([1., 0.])
    """
    A, B = (unit_rows(rows.astype(np.float64, copy=False)) for rows in (A, B))
    if sp.issparse(A):
        return operators.row_sums(A * B)
    return np.einsum("ij,ij->i", operators.dense(A), operators.dense(B))
