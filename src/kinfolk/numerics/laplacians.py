"""Laplacians of nearest-neighbour graphs, sparse.

    S_ij = exp(-|X[i] - X[j]|^2 / (2 h^2))  if i is among the l nearest rows of j or j of i
    L    = D - S,   D = diag(row sums of S),   tr(Y'LY) = sum over edges of s_ij |Y[i] - Y[j]|^2

Symbols  X (n, d), S and L (n, n), Y (n, r), B one row sqrt(s_ij) (e_i - e_j) per edge, L = B'B.
Units    h is in units of X, S has none.
Exact    tr(Y'LY) = |B Y|^2, which subtracts neighbours and not large sums.
Limits   h -> infinity: every weight is 1, which "binary" gives at once.
Source   Belkin, Niyogi, Neural Computation 15 (2003) 1373-1396, section 2.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import operators

TIE = 1e-12
"""Neighbours whose entries differ by less than this share of their size count as equal."""


class Graph(NamedTuple):
    """A graph on n rows: S (n, n), its row sums (n,), its edges B, and the h of its weights.

    `bandwidth` is infinite where all weights are 1.
    """

    S: sp.csr_array
    degrees: Vector
    B: sp.csr_array
    bandwidth: float


def graph(X: Table, l: int, h: float | None) -> Graph:
    """The graph of the l nearest other rows, n - 1 at most; h None is their median distance.

    >>> found = graph(np.array([[0.0], [1.0], [5.0]]), 1, np.inf)
    >>> found.degrees
    array([1., 2., 1.])
    """
    n = X.shape[0]
    l = min(l, n - 1)
    lengths, near = NearestNeighbors(n_neighbors=l).fit(X).kneighbors()
    if h is None:
        h = float(np.median(lengths)) or 1.0
    links = _linked(lengths, near, n, h)
    S = sp.csr_array(links.maximum(links.T))
    upper = sp.coo_array(sp.triu(S, k=1))
    edges = np.arange(len(upper.data))
    root = np.sqrt(upper.data)
    B = sp.csr_array(
        (np.r_[root, -root], (np.r_[edges, edges], np.r_[upper.row, upper.col])),
        shape=(len(edges), n),
    )
    return Graph(S, np.asarray(S.sum(axis=1)).ravel(), B, h)


def links(rows: Table, X: Table, l: int, h: float) -> sp.csr_array:
    """Weights (m, n) from new rows (m, d) to the l nearest rows of X each, one-sided."""
    n = X.shape[0]
    rows = rows if sp.issparse(X) else operators.dense(rows)
    lengths, near = NearestNeighbors(n_neighbors=min(l, n)).fit(X).kneighbors(rows)
    return _linked(lengths, near, n, h)


def energies(graph: Graph, Y: Matrix) -> Vector:
    """Y_j'L Y_j (r,) for every column j of Y.

    >>> energies(graph(np.array([[0.0], [1.0], [5.0]]), 1, np.inf), np.array([[0.0], [1.0], [3.0]]))
    array([5.])
    """
    # One column at a time: there are several times as many edges as rows.
    found = np.array([np.sum(np.square(graph.B @ y)) for y in Y.T])
    return np.where(found > TIE**2 * (graph.degrees @ np.square(Y)), found, 0.0)


def _linked(lengths: Matrix, near: np.ndarray, n: int, h: float) -> sp.csr_array:
    m, l = near.shape
    weights = np.exp(-np.square(lengths.astype(np.float64, copy=False) / h) / 2)
    return sp.csr_array((weights.ravel(), near.ravel(), np.arange(0, m * l + 1, l)), shape=(m, n))
