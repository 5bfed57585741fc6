"""Contingency tables, Rand and Jaccard indices and one-to-one pairings of two labelings.

Source  Kuhn (1955); the solver is SciPy's form of the shortest augmenting path algorithm.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.utils import check_consistent_length

from kinfolk.arrays import Labels, Matrix


class Contingency(NamedTuple):
    """Contingency table of two labelings of the same rows.

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


def adjusted_rand(a: ArrayLike, b: ArrayLike) -> float:
    """Adjusted Rand index of two labelings (n,), exactly that of scikit-learn.

    Its checks of labels take ten times as long as the index of some hundred rows.

    >>> adjusted_rand([0, 0, 1, 1], [1, 0, 1, 0]), adjusted_rand([0, 0, 1], ["x", "x", "y"])
    (-0.5, 1.0)
    """
    counts = contingency(a, b).counts
    n = int(counts.sum())
    sizes = counts, counts.sum(axis=1), counts.sum(axis=0)
    # Ordered pairs of rows: together in both labelings, in one alone, and apart in both.
    both, first, second = (int(np.square(each).sum()) - n for each in sizes)
    only_a = first - both
    only_b = second - both
    apart = n * n - n - both - only_a - only_b
    if not only_a and not only_b:
        return 1.0
    room = first * (only_a + apart) + second * (only_b + apart)
    return 2.0 * (both * apart - only_a * only_b) / room


def jaccard(a: Labels, b: Labels, k: int, l: int) -> Matrix:
    """Jaccard indices (k, l) of the clusters of two labelings (n,), numbered from 0.

    The rows in both clusters, as a share of the rows in either; 0 for clusters without rows.

    >>> jaccard(np.array([0, 0, 1]), np.array([0, 1, 1]), 2, 2).round(2)
    array([[0.5 , 0.33],
           [0.  , 0.5 ]])
    """
    both = np.bincount(a * l + b, minlength=k * l).reshape(k, l)
    either = both.sum(axis=1, keepdims=True) + both.sum(axis=0) - both
    return both / np.maximum(either, 1)


def expected_jaccard(a: Labels, b: Labels, k: int, l: int) -> Matrix:
    """Jaccard indices (k, l) at the mean overlap of independent labelings with the same sizes.

    >>> expected_jaccard(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), 2, 2).round(2)
    array([[0.33, 0.33],
           [0.33, 0.33]])
    """
    rows = np.bincount(a, minlength=k)[:, None]
    columns = np.bincount(b, minlength=l)
    both = rows * columns / max(len(a), 1)
    return both / np.maximum(rows + columns - both, 1)


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


def n_paired(a: ArrayLike, b: ArrayLike) -> int:
    """Number of rows whose labels in `a` and `b` (n,) match under the best one-to-one pairing.

    >>> n_paired(["x", "x", "y", "y"], [1, 1, 1, 0])
    3
    """
    counts = contingency(a, b).counts
    partners = assignment(counts)
    paired = partners >= 0
    return int(counts[paired, partners[paired]].sum())
