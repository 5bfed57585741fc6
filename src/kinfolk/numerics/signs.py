"""Matrices as differences of non-negative ones."""

import numpy as np

from kinfolk.arrays import Matrix


def parts(A: Matrix) -> tuple[Matrix, Matrix]:
    """A+ and A-, both non-negative, with A = A+ - A-: the parts (|A| + A)/2 and (|A| - A)/2.

    >>> parts(np.array([[2.0, -3.0]]))
    (array([[2., 0.]]), array([[0., 3.]]))
    """
    return np.maximum(A, 0.0), np.maximum(-A, 0.0)
