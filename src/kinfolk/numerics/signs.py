"""Positive and negative parts of matrices."""

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Table


def parts(A: Table) -> tuple[Table, Table]:
    """Non-negative A+ = (|A| + A)/2 and A- = (|A| - A)/2 with A = A+ - A-.

    >>> parts(np.array([[2.0, -3.0]]))
    (array([[2., 0.]]), array([[0., 3.]]))
    """
    if isinstance(A, sp.csr_array):
        return sp.csr_array((abs(A) + A) / 2), sp.csr_array((abs(A) - A) / 2)
    return np.maximum(A, 0.0), np.maximum(-A, 0.0)
