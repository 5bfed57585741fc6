"""Puts rows or columns on one scale."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from kinfolk.arrays import Matrix, Table


def unit(X: Table, ends: Sequence[int] = ()) -> Table:
    """Divide each row of X (n, d) by its Euclidean length; zero rows stay zero.

    Where columns are several views, `ends` says where each ends, and each has its own length.

    Examples
    --------
    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    >>> unit(np.array([[3.0, 4.0, 2.0]]), [2, 3])
    array([[0.6, 0.8, 1. ]])
    """
    if len(ends) > 1:
        views = [unit(X[:, a:b]) for a, b in pairwise([0, *ends])]
        return sp.csr_array(sp.hstack(views)) if sp.issparse(X) else np.hstack(views)
    if sp.issparse(X):
        return sp.csr_array(normalize(X))
    return normalize(np.ascontiguousarray(X))  # sums in another order depend on the other rows


def moments(X: Matrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and standard deviation of each column; 0 for a spread within rounding.

    Examples
    --------
    >>> moments(np.array([[1.0, 0.1], [3.0, 0.1]]))
    (array([2. , 0.1]), array([1., 0.]))
    """
    spread = X.std(axis=0)
    rounding = 10 * np.finfo(np.float64).eps * np.abs(X).max(axis=0)
    return X.mean(axis=0), np.where(spread > rounding, spread, 0.0)


def standard(X: Table, center: NDArray[np.float64], spread: NDArray[np.float64]) -> Matrix:
    """Return (X - center) / spread; 0 in columns without spread.

    Examples
    --------
    >>> standard(np.array([[4.0, 9.0]]), np.array([2.0, 0.1]), np.array([1.0, 0.0]))
    array([[2., 0.]])
    """
    dense = X.toarray() if sp.issparse(X) else np.asarray(X)
    return np.divide(dense - center, spread, out=np.zeros_like(dense), where=spread > 0)


def empty_rows(X: Table) -> NDArray[np.bool_]:
    """Tell which rows of X (n, d) are zero throughout.

    Examples
    --------
    >>> empty_rows(sp.csr_array([[0.0, 1.0], [0.0, 0.0]]))
    array([False,  True])
    """
    filled = X.astype(np.bool_)
    return ~np.asarray(filled.sum(axis=1)).astype(np.bool_)
