"""Weights of rows: the results of a table with repeated rows, without repeating them.

Let E (N, n) have w[i] rows that are row i of the identity, so that E X is X with row i repeated
w[i] times, and let D = diag(w) = E'E. For any A, B (n, r) and symmetric M (n, n)

    (E A)'(E B)             = (D^1/2 A)'(D^1/2 B)                                     (W1)
    |E A|_F^2               = |D^1/2 A|_F^2                                           (W2)
    |E (M - Y Y') E'|_F^2   = |D^1/2 M D^1/2 - (D^1/2 Y)(D^1/2 Y)'|_F^2               (W3)

An objective and a descent that see rows through such products alone, or change each row by a
function f with f(c y) = c f(y), are therefore those of the repeated table E X if they are given
D^1/2 X, D^1/2 M D^1/2 and D^1/2 Y in place of X, M and Y; copies of a row that start alike stay
alike. The right sides are defined for any w >= 0.

Symbols  X (n, d), M (n, n), Y (n, k), w (n,), N = sum w.
Exact    for whole w, up to rounding. Copies of row i have the similarity M[i,i] to each other.
Limits   w = 1 is the table itself; a row of weight 0 has no part in any of (W1) to (W3).
"""

from collections.abc import Callable

import numpy as np

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import distances
from kinfolk.numerics.operators import Symmetric


def scaled(X: Table, weight: Vector | None) -> Table:
    """Rows X (n, d) times the roots of their weights, in double precision; X without weights.

    >>> scaled(np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([4.0, 1.0]))
    array([[2., 4.],
           [3., 0.]])
    """
    if weight is None:
        return X
    # Products with a table of single precision are made in double precision; so are these.
    return distances.rows_times(X.astype(np.float64, copy=False), np.sqrt(weight))


def scaled_similarity(M: Symmetric, weight: Vector | None) -> Symmetric:
    """Similarity M (n, n) times the roots of both rows' weights, see (W3); M without weights.

    >>> from kinfolk.numerics.operators import Explicit
    >>> M = Explicit(np.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> scaled_similarity(M, np.array([4.0, 1.0])).times(np.eye(2))
    array([[4., 1.],
           [1., 1.]])
    """
    return M if weight is None else M.scaled(np.sqrt(weight))


def times_roots(Y: Matrix, weight: Vector | None) -> Matrix:
    """Rows Y (n, k) times the roots of their weights; Y itself without weights.

    >>> times_roots(np.ones((2, 1)), np.array([9.0, 0.0]))
    array([[3.],
           [0.]])
    """
    return Y if weight is None else Y * np.sqrt(weight)[:, None]


def over_roots(Y: Matrix, weight: Vector | None, best: Callable[[], Matrix]) -> Matrix:
    """Rows Y (n, k) over the roots of their weights, of best() at weight 0; Y without weights.

    >>> over_roots(np.array([[3.0], [0.0]]), np.array([9.0, 0.0]), lambda: np.full((2, 1), 5.0))
    array([[1.],
           [5.]])
    """
    if weight is None:
        return Y
    there = (weight > 0)[:, None]
    roots = np.sqrt(weight)[:, None]
    return Y / roots if there.all() else np.where(there, Y / np.where(there, roots, 1.0), best())


def uneven(weight: Vector | None) -> Vector | None:
    """Weights for k-means, or None if they are equal, which k-means does not see.

    >>> uneven(np.array([2.0, 2.0])), uneven(np.array([2.0, 1.0]))
    (None, array([2., 1.]))
    """
    # Without weights k-means of small tables is quicker, and draws as in fits without weights.
    return None if weight is None or np.ptp(weight) == 0 else weight


def median_of_pairs(D: Matrix, weight: Vector, apart: bool = False) -> float:
    """Median of D (n, n) over the pairs of rows of the repeated table.

    There are w[i] w[j] pairs of rows i and j, and w[i] (w[i] - 1) / 2 of copies of row i, with
    entry 0. If `apart`, pairs with entry 0 do not count.

    >>> D = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 4.0], [5.0, 4.0, 0.0]])
    >>> median_of_pairs(D, np.array([2.0, 1.0, 1.0]))  # of 0, 1, 1, 4, 5, 5
    2.5
    """
    i, j = np.triu_indices(len(D), k=1)
    # Less than one copy makes no pair.
    copies = np.maximum(weight * (weight - 1.0) / 2.0, 0.0).sum()
    values = np.append(D[i, j], 0.0)
    counts = np.append(weight[i] * weight[j], copies)
    if apart:
        counts[values <= 0] = 0.0
    order = np.argsort(values, kind="stable")
    values = values[order][counts[order] > 0]
    reached = np.cumsum(counts[order][counts[order] > 0])
    if not len(values):
        return 0.0
    half = reached[-1] / 2.0
    low = int(np.searchsorted(reached, half))
    high = int(np.searchsorted(reached, half, side="right"))
    return float((values[low] + values[min(high, len(values) - 1)]) / 2.0)
