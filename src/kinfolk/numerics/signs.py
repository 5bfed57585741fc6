"""Positive and negative parts of matrices."""

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Table


def parts(A: Table) -> tuple[Table, Table]:
    """Non-negative A+ = (|A| + A)/2 and A- = (|A| - A)/2 with A = A+ - A-.

    >>> parts(np.array([[2.0, -3.0]]))
    (array([[2., 0.]]), array([[0., 3.]]))
    """
    if sp.issparse(A):
        return (abs(A) + A) / 2, (abs(A) - A) / 2
    return np.maximum(A, 0.0), np.maximum(-A, 0.0)
