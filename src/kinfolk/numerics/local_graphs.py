"""Nearest-neighbor graphs whose Gaussian weights have a scale for each row.

    W_ij = exp(-|x_i - x_j|^2 / (s_i s_j))  if j is among the l nearest rows of i, else 0
    s_i  = the distance from x_i to its 7th nearest other row
    W is replaced by (W + W')/2

Symbols  X (n, d), s (n,), W (n, n) sparse with a diagonal of 0.
Units    none: W is the same for X and c X.
Exact    every pair of rows is compared, in blocks. For rows of length 1 distances order pairs as
         cosines do.
Limits   more than 7 equal rows: s_i is the distance to the last of the l rows, or else the median
         scale. Fewer than l + 1 rows: all others are linked.
Source   Zelnik-Manor, Perona, Self-tuning spectral clustering, NIPS 17 (2004), for s_i; the
         restriction to nearest rows: von Luxburg, Statistics and Computing 17 (2007), section 2.2.
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import affinities, distances, graphs


def local_graph(X: Table, l: int) -> sp.csr_array:
    """Symmetric l-nearest-neighbor graph W (n, n) with locally scaled Gaussian weights.

    >>> local_graph(np.array([[0.0], [1.0], [10.0]]), 1).toarray().round(3)
    array([[0.   , 0.989, 0.   ],
           [0.989, 0.   , 0.203],
           [0.   , 0.203, 0.   ]])
    """
    n = X.shape[0]
    asked = min(max(l, affinities.NEAR), n - 1)
    if asked < 1:
        return sp.csr_array((n, n))
    X, _ = distances.nearby(X, X)  # differences of rows far from zero would lose digits
    lengths, near = NearestNeighbors(n_neighbors=asked).fit(X).kneighbors()
    s = scales(lengths)
    l = min(l, asked)
    squares = np.square(lengths[:, :l])
    weights = np.exp(-squares / (s[:, None] * s[near[:, :l]]))
    return graphs.symmetrized(graphs.directed(near[:, :l], weights, n))


def scales(lengths: Matrix) -> Vector:
    """Local scale (n,) of each row from the sorted distances (n, m) to its nearest rows.

    >>> scales(np.array([[0.0, 2.0], [0.0, 0.0], [1.0, 4.0]]))
    array([2., 3., 4.])
    """
    at = min(affinities.NEAR, lengths.shape[1]) - 1
    # Equal rows are at distance 0, which is no scale.
    s = np.where(lengths[:, at] > 0, lengths[:, at], lengths[:, -1])
    positive = s > 0
    return np.where(positive, s, np.median(s[positive]) if positive.any() else 1.0)


def spread(S: sp.csr_array, rows: NDArray[np.integer], n: int) -> sp.csr_array:
    """Embed the links S (m, m) of the rows at positions (m,) in an empty graph (n, n).

    >>> spread(sp.csr_array([[0.0, 1.0], [1.0, 0.0]]), np.array([0, 2]), 3).toarray()
    array([[0., 0., 1.],
           [0., 0., 0.],
           [1., 0., 0.]])
    """
    if len(rows) == n:
        return S
    links = S.tocoo()
    return sp.csr_array((links.data, (rows[links.row], rows[links.col])), shape=(n, n))
