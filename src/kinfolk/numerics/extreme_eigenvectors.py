"""Smallest or largest eigenvectors of a dense symmetric matrix, also of many equal eigenvalues.

LAPACK finds some eigenvectors without the others, but where hundreds of eigenvalues are equal it
may fail, or return fewer than were asked for and say nothing: none of I - u u' for a unit vector u.
What it returns is checked, and else all are found by another of its routines, which takes longer.
"""

import numpy as np
from scipy.linalg import eigh

from kinfolk.arrays import Matrix, Vector

ORTHOGONAL = 1e-8
"""Largest inner product of two eigenvectors that may be rounding."""


def smallest(M: Matrix, m: int) -> tuple[Vector, Matrix]:
    """The m smallest eigenvalues of a symmetric M (n, n), smallest first, and eigenvectors (n, m).

    >>> smallest(np.diag([3.0, 1.0]), 1)[0]
    array([1.])
    """
    return _between(M, 0, m)


def largest(M: Matrix, m: int) -> tuple[Vector, Matrix]:
    """The m largest eigenvalues of a symmetric M (n, n), smallest first, and eigenvectors (n, m).

    >>> u = np.full((999, 1), 999**-0.5)
    >>> values, vectors = largest(np.eye(999) - u @ u.T, 3)
    >>> values.round(9), (vectors.T @ vectors).round(9).trace()
    (array([1., 1., 1.]), np.float64(3.0))
    """
    return _between(M, len(M) - m, len(M))


def _between(M: Matrix, first: int, end: int) -> tuple[Vector, Matrix]:
    """Eigenvalues number `first` to `end` - 1 of M in ascending order, and eigenvectors."""
    if first >= end:
        return np.empty(0), np.empty((len(M), 0))
    try:
        values, vectors = eigh(M, subset_by_index=(first, end - 1))
        inner = vectors.T @ vectors
        apart = np.abs(inner - np.eye(len(inner))).max(initial=0.0)
        if len(values) == end - first and apart < ORTHOGONAL:
            return values, vectors
    except np.linalg.LinAlgError:
        pass
    values, vectors = eigh(M, driver="evd")
    return values[first:end], vectors[:, first:end]
