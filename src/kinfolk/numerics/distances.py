"""Squared distances, lengths and cosines of dense and sparse rows."""

from typing import overload

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Matrix, Operand, Table, Vector
from kinfolk.numerics import operators


def squared_norms(X: Operand) -> Vector:
    """Squared lengths |X[i]|^2 of the rows, (n,), in double precision.

    >>> squared_norms(np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([25.,  1.])
    """
    if sp.issparse(X):
        return operators.row_sums(X.power(2, dtype=np.float64))
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


def squared(X: Table, V: Matrix) -> Matrix:
    """Squared distances |X[i] - V[k]|^2, (n, k), never below 0; X may be sparse.

    >>> squared(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[0.0, 0.0]]))
    array([[ 0.],
           [25.]])
    """
    D = operators.times(X, V.T)
    D *= -2.0
    D += squared_norms(X)[:, None]
    D += squared_norms(V)[None, :]
    return np.maximum(D, 0.0, out=D)


def scatter(X: Table) -> float:
    """Total scatter sum_i |X[i] - mean|^2 in squared units of X, the scale of tolerances.

    >>> scatter(np.array([[0.0], [1.0], [5.0]]))
    14.0
    """
    mean = operators.mean(X)
    return float(max(squared_norms(X).sum() - X.shape[0] * (mean @ mean), 0.0))


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
    lengths = np.sqrt(norms)
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)


@overload
def rows_times(X: Matrix, scale: Vector) -> Matrix: ...
@overload
def rows_times(X: Table, scale: Vector) -> Table: ...
def rows_times(X: Table, scale: Vector) -> Table:
    """Multiply row i of X (n, d) by scale[i]; CSR stays CSR, in the same precision."""
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
