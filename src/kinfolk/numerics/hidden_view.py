"""A hidden view: the coordinates of rows in a non-negative matrix factorisation of a table."""

import warnings

import numpy as np
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

from kinfolk.arrays import Matrix, Table
from kinfolk.numerics import distances, nonnegative, operators


def components(X: Table, q: int, seed: int) -> Matrix:
    """Components (q, d) of an NMF of X (n, d) >= 0, scaled to unit length (or 0).

    >>> components(np.array([[3.0, 0.0], [0.0, 2.0], [6.0, 0.0]]), 2, 0).round(2)
    array([[1., 0.],
           [0., 1.]])
    """
    if operators.entries(X).max(initial=0.0) <= 0:
        return np.zeros((q, X.shape[1]))
    with warnings.catch_warnings():
        # The clusters of the second stage need no NMF to the last digit.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found: Matrix = NMF(q, init="nndsvda", random_state=seed).fit(X).components_
    return distances.unit_rows(found)


def coordinates(X: Table, W: Matrix) -> Matrix:
    """Non-negative least-squares coefficients H (n, q) of X (n, d) in components W (q, d).

    >>> coordinates(np.array([[3.0, -1.0]]), np.eye(2))
    array([[3., 0.]])
    """
    return nonnegative.least_squares(W @ W.T, operators.times(X, W.T))
