"""Sparse nearest-neighbor graphs, with simplex, 0/1 or heat-kernel weights.

Simplex weights. For squared distances A from one row to others, sorted upwards as B, minimizing
sum_i A_i m_i + beta |m|^2 over the simplex, with beta such that exactly l weights are positive,
gives m_i proportional to B_{l+1} - A_i (own row left out, so B_1 is the nearest other row).
Scaled so that the largest weight is 1, beta cancels:

    m_i = (B_{l+1} - A_i) / (B_{l+1} - B_1)   for the l nearest,   0 for all others.

Heat kernel weights, with the Laplacian L of the graph:

    S_ij = exp(-|X[i] - X[j]|^2 / (2 h^2))  if i is among the l nearest rows of j or j of i
    L    = D - S,   D = diag(row sums of S),   tr(Y'LY) = sum over edges of s_ij |Y[i] - Y[j]|^2

No weights: `nearest_by_cosine` finds positions and cosines, for which the caller has weights.

Symbols     X (n, d), S and L (n, n), Y (n, r), B one row sqrt(s_ij) (e_i - e_j) per edge, L = B'B.
Units       h is in units of X; weights have none. Cosines see only the directions of rows.
Exact       every pair is compared, in blocks of rows, but by cosine in dense tables of more than
            50,000 rows (`large_search`). tr(Y'LY) = |B Y|^2, which subtracts
            neighbors and not large sums.
Limits      h -> infinity: every weight is 1, which h = inf gives at once. A row of zeros is at
            cosine distance 1 from every row, so that its nearest rows mean nothing.
Source      Simplex: Zhang, Zhang, Liu (2019), equations (14), (16), (19) and section 3.5, where the
            row itself is counted as the first: their B_{l+2} is B_{l+1} here. The weights are those
            of Nie, Wang, Jordan, Huang (2016). Heat kernel: Belkin, Niyogi, Neural Computation 15
            (2003) 1373-1396, section 2.
Departures  when B_{l+1} = B_1 the simplex formula is 0/0 and the l neighbors share equal weights;
            the same when there are only l other rows, so that no B_{l+1} exists.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
import sklearn
from sklearn.neighbors import NearestNeighbors

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import distances, large_search, operators, small_search

EQUAL_DISTANCES = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 1e-6}
"""Squared distances closer than this share of their size count as equal, by their precision."""

SAME_DIRECTION = 1e-12
"""Two rows have the same direction if their cosine differs from 1 by at most this."""

UNRELATED = 1e-12
"""Cosines up to this are 0 or below, but for rounding: such rows have nothing in common."""

SAME_PLACE = 1e-7
"""Distances below this share of the length of a row are 0 but for rounding."""

EQUAL_ENTRIES = 1e-12
"""Neighbors whose entries differ by less than this share of their size have no energy."""


def simplex_neighbors(A: Matrix, l: int, sizes: Vector) -> tuple[np.ndarray, Matrix]:
    """Nearest columns (m, l) and their simplex weights for squared distances A (m, n).

    Distances are infinite to leave a column out. `sizes` (m,) are the squared lengths that A was
    computed from, to tell ties from rounding.

    >>> simplex_neighbors(np.array([[np.inf, 4.0, 1.0, 5.0]]), 2, np.ones(1))
    (array([[2, 1]], dtype=int32), array([[1.  , 0.25]]))
    """
    m, n = A.shape
    if l + 1 > n or not np.isfinite(A).sum(axis=1).min() > l:
        near = np.argsort(A, axis=1, kind="stable")[:, :l]
        return near, np.isfinite(np.take_along_axis(A, near, axis=1)).astype(float)
    # A copy: a view would keep all (m, n) positions alive.
    near = np.argpartition(A, l, axis=1)[:, : l + 1].astype(np.int32)
    near_A = np.take_along_axis(A, near, axis=1)
    edge = near_A[:, l]
    near, near_A = near[:, :l], near_A[:, :l]
    reach = edge - near_A.min(axis=1)
    tied = reach <= EQUAL_DISTANCES[A.dtype] * np.maximum(sizes, edge)
    weights = (edge[:, None] - near_A) / np.where(tied, 1.0, reach)[:, None]
    weights[tied] = 1.0
    return near, weights


class Nearest(NamedTuple):
    """Positions (m, l) of the rows nearest by cosine, nearest first, and these cosines (m, l)."""

    rows: np.ndarray
    cosines: Matrix


def nearest_by_cosine(X: Table, l: int, among: Table | None = None) -> Nearest:
    """Find the l rows (of `among`, or X) nearest by cosine to each row of X (m, d).

    Of `among` (n, d), dense or CSR as X is, or of X itself, each row left out of its own list. They
    are l, or as many as there are.

    >>> found = nearest_by_cosine(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), 2)
    >>> found.rows[0].tolist(), found.cosines[0].round(2).tolist()
    ([1, 2], [0.71, 0.0])
    """
    # Single precision cannot order rows of nearly the same direction.
    rows = X.astype(np.float64, copy=False)
    there = rows if among is None else among.astype(np.float64, copy=False)
    l = min(l, there.shape[0] - (among is None))
    if l < 1 or not rows.shape[0]:
        none = (rows.shape[0], max(l, 0))
        return Nearest(np.empty(none, dtype=np.intp), np.empty(none))
    if there.shape[0] > large_search.EXACT and not sp.issparse(there):
        asking = operators.dense(distances.unit_rows(rows))
        found = operators.dense(distances.unit_rows(there))
        near = large_search.nearest_directions(asking, found, l, themselves=among is None)
        return Nearest(*near)
    if small_search.fits(rows, there):
        few = small_search.nearest(rows, l, None if among is None else there)
        return Nearest(few[1], 1 - few[0])
    # Its arguments are ours: to check them again is a fifth of a small search.
    with sklearn.config_context(skip_parameter_validation=True):
        search = NearestNeighbors(n_neighbors=l, metric="cosine").fit(there)
        lengths, near = search.kneighbors(None if among is None else rows)
    return Nearest(near, 1 - lengths)


def first_alike(near: Nearest, own: np.ndarray) -> np.ndarray:
    """First row (m,) with the same direction as each row; `own` (m,) are the rows' positions.

    `own` is sorted, and all rows of `near` are in it.

    >>> near = Nearest(np.array([[6], [3], [3]]), np.array([[1.0], [0.2], [1.0]]))
    >>> first_alike(near, np.array([3, 4, 6]))
    array([3, 4, 3])
    """
    same = near.cosines >= 1 - SAME_DIRECTION
    return own[first_of_equal(np.searchsorted(own, near.rows), same)]


def first_of_equal(near: np.ndarray, equal: np.ndarray) -> np.ndarray:
    """First row (n,) equal to each row; `equal` (n, l) marks equal ones among near (n, l).

    >>> first_of_equal(np.array([[2], [0], [0]]), np.array([[True], [False], [True]]))
    array([0, 1, 0])
    """
    n = len(near)
    i, column = np.nonzero(equal)
    pairs = sp.csr_array((np.ones(len(i)), (i, near[i, column])), shape=(n, n))
    group = sp.csgraph.connected_components(pairs, directed=False)[1]
    first: np.ndarray = np.unique(group, return_index=True)[1][group]
    return first


def cosine_neighbors(X: Table, l: int, among: Table | None = None) -> np.ndarray:
    """Positions (m, l) of the rows nearest by cosine to each row of X (m, d).

    >>> X = np.array([[1.0, 0.0], [2.0, 1.0], [0.0, 1.0]])
    >>> cosine_neighbors(X, 1).ravel()
    array([1, 0, 1])
    >>> cosine_neighbors(X, 5, among=X[:2]).tolist()
    [[0, 1], [1, 0], [1, 0]]
    """
    return nearest_by_cosine(X, l, among).rows


def directed(near: np.ndarray, weights: Matrix, n: int) -> sp.csr_array:
    """Sparse graph (m, n) with neighbors near (m, l) and these weights; zero weights are dropped.

    >>> directed(np.array([[2, 0], [1, 2]]), np.array([[0.5, 0.0], [1.0, 0.25]]), 3).toarray()
    array([[0.  , 0.  , 0.5 ],
           [0.  , 1.  , 0.25]])
    """
    m, l = near.shape
    ends = l * np.arange(m + 1, dtype=np.int32)
    graph = sp.csr_array(
        (weights.ravel(), near.ravel().astype(np.int32, copy=False), ends), shape=(m, n)
    )
    graph.eliminate_zeros()
    graph.sort_indices()
    return graph


def symmetrized(graph: sp.csr_array) -> sp.csr_array:
    """Symmetric part (M + M')/2 of a graph."""
    return sp.csr_array((graph + graph.T) / 2)


class NeighborGraph(NamedTuple):
    """Symmetric graph on n rows: weights S (n, n), degrees (n,), edges B, and bandwidth h.

    `bandwidth` is infinite where all weights are 1.
    """

    S: sp.csr_array
    degrees: Vector
    B: sp.csr_array
    bandwidth: float


def heat_graph(X: Table, l: int, h: float | None) -> NeighborGraph:
    """Symmetric heat-kernel graph of the l nearest rows; bandwidth h, None: median distance.

    >>> heat_graph(np.array([[0.0], [1.0], [5.0]]), 1, np.inf).S.toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    n = X.shape[0]
    l = min(l, n - 1)
    X, _ = distances.nearby(X, X)  # far from zero distances would lose digits
    lengths, near = NearestNeighbors(n_neighbors=l).fit(X).kneighbors()
    # Matrix products, by which rows of many columns are compared, place copies of a row apart.
    lengths[lengths <= SAME_PLACE * np.sqrt(distances.squared_norms(X))[:, None]] = 0.0
    return heat_graph_of(lengths, near, h)


def heat_graph_of(lengths: Matrix, near: np.ndarray, h: float | None) -> NeighborGraph:
    """Symmetric heat-kernel graph from the nearest rows (n, l) and their distances.

    Bandwidth h None is the median distance, or that of different rows if most neighbors are equal.

    >>> heat_graph_of(np.array([[1.0], [1.0], [np.inf]]), np.array([[1], [0], [0]]), 1.0).degrees
    array([0.6065, 0.6065, 0.    ])
    """
    n = len(near)
    if h is None:
        known = lengths[np.isfinite(lengths)]
        if not np.median(known if known.size else 0.0):  # most neighbors are equal rows
            known = known[known > 0]
        h = float(np.median(known)) if known.size else 1.0
    links = heat_weighted(lengths, near, n, h)
    S = sp.csr_array(links.maximum(links.T))
    upper = sp.coo_array(sp.triu(S, k=1))
    edges = np.arange(len(upper.data))
    root = np.sqrt(upper.data)
    B = sp.csr_array(
        (np.r_[root, -root], (np.r_[edges, edges], np.r_[upper.row, upper.col])),
        shape=(len(edges), n),
    )
    return NeighborGraph(S, operators.row_sums(S), B, h)


def heat_links(rows: Table, X: Table, l: int, h: float) -> sp.csr_array:
    """Heat kernel weights (m, n) from new rows (m, d) to the l nearest rows of X each.

    >>> heat_links(np.array([[4.0]]), np.array([[0.0], [1.0], [5.0]]), 1, 1.0).toarray().round(3)
    array([[0.   , 0.   , 0.607]])
    """
    n = X.shape[0]
    rows = rows if sp.issparse(X) else operators.dense(rows)
    rows, X = distances.nearby(rows, X)
    lengths, near = NearestNeighbors(n_neighbors=min(l, n)).fit(X).kneighbors(rows)
    return heat_weighted(lengths, near, n, h)


def laplacian_energies(graph: NeighborGraph, Y: Matrix) -> Vector:
    """Smoothness Y_j'L Y_j (r,) on the graph of every column j of Y (n, r).

    >>> graph = heat_graph(np.array([[0.0], [1.0], [5.0]]), 1, np.inf)
    >>> laplacian_energies(graph, np.array([[0.0], [1.0], [3.0]]))
    array([5.])
    """
    # One column at a time: there are several times as many edges as rows.
    found = np.array([np.sum(np.square(graph.B @ y)) for y in Y.T])
    return np.where(found > EQUAL_ENTRIES**2 * (graph.degrees @ np.square(Y)), found, 0.0)


def heat_weighted(lengths: Matrix, near: np.ndarray, n: int, h: float) -> sp.csr_array:
    """Heat kernel weights (m, n) of links to the nearest rows (m, l), at these distances."""
    m, l = near.shape
    there = np.isfinite(lengths)  # h may be infinite too
    weights = np.exp(-np.square(np.where(there, lengths, 0.0).astype(np.float64) / h) / 2) * there
    return sp.csr_array((weights.ravel(), near.ravel(), np.arange(0, m * l + 1, l)), shape=(m, n))
