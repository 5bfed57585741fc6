"""Contingency tables of two labellings, and the best one-to-one pairing of their names.

Source  Kuhn (1955); the solver is SciPy's form of the shortest augmenting path algorithm.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.utils import check_consistent_length

from kinfolk.arrays import Labels


class Contingency(NamedTuple):
    """Contingency table of two labellings of the same rows.

    Attributes
    ----------
    counts : (r, c), rows that carry row_labels[i] in the first and column_labels[j] in the second
    row_labels : (r,) the different labels of the first, sorted
    column_labels : (c,) the different labels of the second, sorted
    """

    counts: Labels
    row_labels: NDArray[Any]
    column_labels: NDArray[Any]


def contingency(a: ArrayLike, b: ArrayLike) -> Contingency:
    """Count how many rows carry each pair of labels from `a` (n,) and `b` (n,).

    Raises
    ------
    ValueError
        If the lengths differ.

    Examples
    --------
    >>> contingency(["x", "x", "y"], [7, 5, 5]).counts
    array([[1, 1],
           [1, 0]])
    """
    check_consistent_length(a, b)
    row_labels, i = np.unique(a, return_inverse=True)
    column_labels, j = np.unique(b, return_inverse=True)
    shape = len(row_labels), len(column_labels)
    counts = np.bincount(i * shape[1] + j, minlength=shape[0] * shape[1]).reshape(shape)
    return Contingency(counts, row_labels, column_labels)


def assignment(scores: ArrayLike) -> Labels:
    """Pair rows with columns, each at most once, so that the sum of `scores` (r, c) is largest.

    Returns
    -------
    (r,) the column of each row; -1 for the max(0, r - c) rows without one

    Raises
    ------
    ValueError
        If scores is not two-dimensional or holds NaN.

    Examples
    --------
    >>> assignment([[5, 4], [4, 0], [1, 1]])
    array([ 1,  0, -1])
    """
    scores = np.asarray(scores)
    rows, partners = linear_sum_assignment(scores, maximize=True)
    columns = np.full(len(scores), -1)
    columns[rows] = partners
    return columns
