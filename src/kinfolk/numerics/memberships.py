"""Memberships U or Y (n, k) of rows in clusters, 0/1 or soft, and their centers and labels."""

import numpy as np
from scipy.linalg import sqrtm

from kinfolk.arrays import Labels, Matrix, Table
from kinfolk.numerics import operators

SMALLEST = 1e-300
"""Distances below this count as equal, since their logarithms must be finite."""


def indicator(labels: Labels, k: int, offset: float = 0.0) -> Matrix:
    """0/1 memberships (n, k) of hard labels, plus an offset (> 0 for multiplicative updates).

    >>> indicator(np.array([0, 1]), 2, offset=0.2)
    array([[1.2, 0.2],
           [0.2, 1.2]])
    """
    Y = np.full((len(labels), k), offset)
    Y[np.arange(len(labels)), labels] += 1.0
    return Y


def gram_root(Y: Matrix) -> Matrix:
    """Symmetric square root R (k, k) of Y'Y for memberships Y (n, k).

    >>> gram_root(np.array([[3.0, 0.0], [4.0, 0.0], [0.0, 2.0]])) + 0.0
    array([[5., 0.],
           [0., 2.]])
    """
    R: Matrix = np.real(sqrtm(Y.T @ Y))
    return R


def entropic(D: Matrix, gamma: float) -> Matrix:
    """Softmax of -D/gamma by row (n, k): minimizes <U, D> + gamma <U, log U> over the simplex.

    >>> entropic(np.array([[0.0, np.log(3.0)]]), 1.0)
    array([[0.75, 0.25]])
    """
    # Shifted by the smallest entry of each row, nothing overflows and no row is empty.
    U = np.exp((D.min(axis=1, keepdims=True) - D) / gamma)
    U /= U.sum(axis=1, keepdims=True)
    return U


def fuzzy(D: Matrix, m: float) -> Matrix:
    """Fuzzy c-means memberships (n, k), proportional to D^(-1/(m-1)); 1 for a cluster at D = 0.

    >>> fuzzy(np.array([[1.0, 3.0], [0.0, 2.0]]), 2.0).round(2)
    array([[0.75, 0.25],
           [1.  , 0.  ]])
    """
    return entropic(np.log(np.maximum(D, SMALLEST)), m - 1.0)


def negentropy(U: Matrix) -> float:
    """Negative entropy sum_ik U[i,k] log U[i,k], with 0 log 0 = 0.

    >>> negentropy(np.array([[0.5, 0.5], [1.0, 0.0]]))
    -0.6931
    """
    return float(np.sum(U * np.log(U, out=np.zeros_like(U), where=U > 0)))


def centers(X: Table, U: Matrix) -> Matrix:
    """Means (k, d) of rows X (n, d) weighted by U (n, k); the mean of all rows for empty clusters.

    >>> centers(np.array([[0.0], [6.0]]), np.array([[2.0, 0.0], [1.0, 0.0]]))
    array([[2.],
           [3.]])
    """
    mass = U.sum(axis=0)
    V = operators.crossed(X, U).T
    empty = mass <= 0
    if empty.any():
        V[empty] = operators.mean(X)
        mass = np.where(empty, 1.0, mass)
    return V / mass[:, None]


def hard(Y: Matrix, fallback: Labels) -> Labels:
    """Index (n,) of the largest membership; rows without membership keep the fallback label.

    >>> hard(np.array([[0.1, 0.7], [0.0, 0.0]]), np.array([0, 0]))
    array([1, 0])
    """
    return np.where(Y.any(axis=1), Y.argmax(axis=1), fallback)
