"""Shifts views to non-negative numbers for methods that need them."""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import operators


def lowest(tables: Sequence[Table]) -> list[Vector]:
    """Return the smallest entry (d_v,) of each column of each view, at most 0.

    >>> lowest([np.array([[1.0, -2.0], [3.0, 4.0]])])
    [array([ 0., -2.])]
    """
    found = [operators.dense(X.min(axis=0)).ravel().astype(np.float64) for X in tables]
    return [np.minimum(least, 0.0) for least in found]


def lifted(tables: Sequence[Table], least: Sequence[Vector], there: Matrix) -> list[Table]:
    """Subtract `least` from the views and clip at 0; missing rows stay 0.

    >>> lifted([np.array([[-3.0], [1.0], [0.0]])], [np.array([-2.0])], np.array([[1], [1], [0]]))
    [array([[0.],
           [3.],
           [0.]])]
    """
    found: list[Table] = []
    for X, low, o in zip(tables, least, there.T, strict=True):
        if low.any():
            found.append(np.maximum(operators.dense(X) - low, 0.0) * o[:, None])
        else:
            # Of new rows alone: those of the fit are not below their least entries.
            X = X.astype(np.float64, copy=False)
            found.append(X.maximum(0) if sp.issparse(X) else np.maximum(X, 0.0))
    return found
