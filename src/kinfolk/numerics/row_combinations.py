"""Rows as convex combinations of other rows: projected gradient steps for a sparse matrix.

For rows X (n, d) and an embedding F (n, k), lower

    J(R) = |X - RX|^2 + lam |R|^2 + 1/2 sum_ij R_ij |F[i] - F[j]|^2                          (1)

over R (n, n) whose rows are on the simplex, without a diagonal, by steps of one length s,

    R <- rows of R - s (R K - K + lam R + T/4), projected onto the simplex,
    s = 1 / (|K| + lam),                                                                     (2)

with K = XX', |K| its largest eigenvalue and T the squared distances of the rows of F.

Symbols     R is sparse: the ridge lam alone makes it dense, where it is large.
Exact       a number that is added to a whole row changes no projection, so that (2) projects

                V = (1 - lam s) R + A Z',   A = s (X - RX, F/2, -1/4),   Z = (X, F, |F[j]|^2),   (3)

            one product of n^2 (d + k + 1) and no other pass over all pairs of rows but to find the
            entries above a lower bound of the row's threshold, which R's own entries give.
Source      projected gradients for (1): see COMVSC. The threshold: Michelot (1986), J. Optimization
            Theory and Applications 50.
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinfolk.arrays import Matrix, Vector
from kinfolk.numerics import distances

NUMBERS = 2**17
"""Entries of V that are computed at once: they stay in the cache."""


def steps(
    X: Matrix, R: sp.csr_array, F: Matrix, lam: float, size: float, number: int
) -> sp.csr_array:
    """Take so many steps (2) for R (n, n), given |K| as `size`; J never rises.

    >>> X = np.array([[0.0], [1.0], [1.0]])
    >>> R = sp.csr_array((1 - np.eye(3)) / 2)
    >>> steps(X, R, np.zeros((3, 1)), 0.01, 2.0, 999).toarray().round(1)
    array([[0. , 0.5, 0.5],
           [0. , 0. , 1. ],
           [0. , 1. , 0. ]])
    """
    s = 1.0 / (size + lam)
    Z = np.hstack([X, F, distances.squared_norms(F)[:, None]]).T.copy()
    of_F = np.hstack([F / 2.0, np.full((len(F), 1), -0.25)])
    for _ in range(number):
        A = s * np.hstack([X - R @ X, of_F])
        R = _projected((1.0 - lam * s) * R, A, Z)
    return R


def _projected(S: sp.csr_array, A: Matrix, Z: Matrix) -> sp.csr_array:
    """Project rows of S + A Z (n, n) without diagonal onto the simplex; no row of S is empty."""
    n = len(A)
    data = []
    columns = []
    lengths = []
    width = max(NUMBERS // n, 1)
    for first in range(0, n, width):
        rows = slice(first, min(first + width, n))
        V = A[rows] @ Z
        begins = np.arange(0, V.size, n)
        V.ravel()[begins + np.arange(rows.start, rows.stop)] = -np.inf
        found, places, counts = _largest(V, S[rows], begins)
        data.append(found)
        columns.append(places - np.repeat(begins, counts))
        lengths.append(counts)
    ends = np.concatenate([[0], *lengths]).cumsum()
    return sp.csr_array((np.concatenate(data), np.concatenate(columns), ends), shape=(n, n))


def _largest(
    V: Matrix, S: sp.csr_array, begins: NDArray[np.intp]
) -> tuple[Vector, NDArray[np.intp], NDArray[np.intp]]:
    """Project rows of V + S onto the simplex; return what is above 0, its places, counts of rows.

    V (b, n) is changed; row i begins at `begins[i]` of it.
    """
    flat = V.ravel()
    counts = np.diff(S.indptr)
    places = np.repeat(begins, counts) + S.indices
    flat[places] += S.data
    # The threshold for some entries of a row alone is never above that for all of them.
    theta = _thresholds(flat[places], counts)
    places = np.flatnonzero(theta[:, None] < V)
    found = flat[places]
    counts = np.diff(np.searchsorted(places, np.append(begins, V.size)))
    while True:
        theta = np.repeat(_thresholds(found, counts), counts)
        above = found > theta
        if above.all():
            return found - theta, places, counts
        found = found[above]
        places = places[above]
        counts = np.add.reduceat(above, _starts(counts), dtype=np.intp)


def _thresholds(values: Vector, counts: NDArray[np.intp]) -> Vector:
    """Number to subtract from the entries of each row so that they sum to 1; `counts` per row."""
    found: Vector = (np.add.reduceat(values, _starts(counts)) - 1.0) / counts
    return found


def _starts(counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """Position of the first entry of each row, given the numbers of entries of all rows."""
    return np.cumsum(counts) - counts
