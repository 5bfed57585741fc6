"""The nearest rows by cosine, of a table itself or of another.

Units   none: only the directions of rows count.
Exact   every pair is compared, in blocks of rows and in double precision.
Limits  a row of zeros is at distance 1 from every row, so that its nearest rows mean nothing.
"""

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from kinfolk.arrays import Table, Vector
from kinfolk.numerics import distances


def nearest(X: Table, l: int, among: Table | None = None) -> np.ndarray:
    """Positions (m, l') of the rows nearest to each row of X (m, d), nearest first.

    Of `among` (n, d), dense or CSR as X is, or of X itself, each row left out of its own list. l'
    is l, or as many rows as there are.

    >>> X = np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 1.0]])
    >>> nearest(X, 1).ravel()
    array([1, 0, 1])
    >>> nearest(X, 5, among=X[:2]).tolist()
    [[0, 1], [1, 0], [1, 0]]
    """
    rows = X.astype(np.float64, copy=False)
    there = rows if among is None else among.astype(np.float64, copy=False)
    l = min(l, there.shape[0] - (among is None))
    if l < 1 or not rows.shape[0]:
        return np.empty((rows.shape[0], max(l, 0)), dtype=np.intp)
    search = NearestNeighbors(n_neighbors=l, metric="cosine").fit(there)
    return search.kneighbors(None if among is None else rows, return_distance=False)


def cosines(A: Table, B: Table) -> Vector:
    """Cosine (m,) of each row of A (m, d) with the same row of B (m, d); 0 for a row of zeros.

    >>> cosines(np.array([[2.0, 0.0], [1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    array([1., 0.])
    """
    A, B = (distances.unit_rows(rows.astype(np.float64, copy=False)) for rows in (A, B))
    if sp.issparse(A):
        return np.asarray((A * B).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", A, B)
