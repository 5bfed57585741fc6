"""Scales rows to unit length, or columns to mean 0 and variance 1."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.preprocessing import normalize

from kinfolk.arrays import Matrix, Table
from kinfolk.numerics import operators


def unit(X: Table, ends: Sequence[int] = ()) -> Table:
    """Divide each row (each view's part, by `ends`) by its Euclidean length; zeros stay.

    If the columns are several views, `ends` gives the end of each, and each has unit length. A view
    that a row lacks (NaN) stays missing.

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
        return operators.hstack(views)
    if sp.issparse(X):
        return sp.csr_array(normalize(X))
    gaps = np.isnan(X)
    if gaps.any():  # a row that lacks a view
        return np.where(gaps, np.nan, normalize(np.nan_to_num(X)))
    # In Fortran order a row is summed in another order than by itself, which changes last digits.
    return normalize(np.ascontiguousarray(X))


def moments(X: Matrix) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and standard deviation of each column; deviations within rounding become 0.

    Examples
    --------
    >>> moments(np.array([[1.0, 0.1], [3.0, 0.1]]))
    (array([2. , 0.1]), array([1., 0.]))
    """
    # A sum of a million rows in single precision would be off by per cents.
    spread = X.std(axis=0, dtype=np.float64)
    # The mean of a million equal values may be off by much more than `rounding`, their range is 0.
    varies = (spread > rounding(X)) & (np.ptp(X, axis=0) > rounding(X))
    return X.mean(axis=0, dtype=np.float64), np.where(varies, spread, 0.0)


def rounding(X: Matrix) -> NDArray[np.float64]:
    """Largest difference (d,) of values of a column of X (n, d) that are equal but for rounding.

    >>> rounding(np.array([[0.1], [0.1]])) < 1e-15
    array([ True])
    """
    # The mean of a few equal values may be off by some units in the last place of their size.
    return np.asarray(10 * np.finfo(np.float64).eps * np.abs(X).max(axis=0))


def standard(X: Table, center: Matrix, spread: Matrix) -> Matrix:
    """Return (X - center) / spread; 0 in columns of spread 0.

    Examples
    --------
    >>> standard(np.array([[4.0, 9.0]]), np.array([2.0, 0.1]), np.array([1.0, 0.0]))
    array([[2., 0.]])
    """
    dense = X.toarray() if sp.issparse(X) else np.asarray(X)
    return np.divide(dense - center, spread, out=np.zeros_like(dense), where=spread > 0)


def empty_rows(X: Table) -> NDArray[np.bool_]:
    """Mark rows (n,) of X (n, d) that are all zero.

    Examples
    --------
    >>> empty_rows(sp.csr_array([[0.0, 1.0], [0.0, 0.0]]))
    array([False,  True])
    """
    # As booleans, so that positive and negative values of a row cannot cancel.
    filled = X.astype(np.bool_)
    return ~np.asarray(filled.sum(axis=1)).astype(np.bool_)
