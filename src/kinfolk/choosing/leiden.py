"""Communities of the graph of nearest rows by the Leiden algorithm, for a given number of clusters.

    N(i)   = i and its m nearest rows
    W[i,j] = |N(i) and N(j)| / |N(i) or N(j)|  if j is in N(i) or i in N(j), else 0           (1)
    Q      = sum_ij (W[i,j] - r d[i] d[j] / sum_l d[l]) [c_i = c_j],  d[i] = sum_j W[i,j]     (2)

The resolution r of the modularity (2) is halved or doubled, then bisected, until there are as many
communities as clusters are asked for, which single-cell analysis does by hand.

Symbols  X (n, d), W (n, n), r > 0.
Source   Traag, Waltman and van Eck (2019); weights (1) as of Levine et al. (2015).
"""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.neighbors import NearestNeighbors

from kinfolk.arrays import Seed, Table
from kinfolk.errors import InputError, import_extra
from kinfolk.estimators import checks
from kinfolk.estimators.parameterized import parameterized

_NEEDS = "Leiden communities need"

STEPS = 16
"""Resolutions that are tried; each halves the range between one too low and one too high."""


@parameterized
class Leiden(ClusterMixin, BaseEstimator):
    """Leiden communities of the graph of shared neighbors, `n_clusters` or nearly as many.

    Parameters
    ----------
    n_clusters : int >= 1, the number of communities that is looked for
    n_neighbors : int >= 1, the nearest rows m of each row, at most n - 1
    metric : of `sklearn.neighbors.NearestNeighbors`
    random_state : int, RandomState or None, for the order in which rows are moved

    Attributes
    ----------
    labels_ : (n,) from 0, the largest community first
    resolution_ : r of equation (2)
    modularity_ : Q of equation (2) over the sum of all weights

    Raises
    ------
    InputError : a parameter is out of range, or there are fewer rows than communities
    MissingExtraError : leidenalg is not installed (extra `leiden`)

    Examples
    --------
    >>> X = np.repeat([[0.0], [5.0], [9.0]], 8, axis=0) + np.arange(24)[:, None] / 100
    >>> Leiden(3, n_neighbors=5).fit_predict(X)  # doctest: +SKIP
    array([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2])
    """

    n_clusters: int = 8
    n_neighbors: int = 15
    metric: str = "euclidean"
    random_state: Seed = None

    def fit(self, X: Table, y: None = None) -> Self:
        """Find the communities of the rows of X (n, d)."""
        k = checks.at_least("n_clusters", self.n_clusters, 1)
        m = checks.at_least("n_neighbors", self.n_neighbors, 1)
        if X.shape[0] < k:
            raise InputError(f"n_clusters is {k} and there are {X.shape[0]} rows: ask for fewer.")
        seed = int(checks.random(self.random_state).randint(2**31 - 1))
        graph = _graph(shared_neighbors(X, min(m, X.shape[0] - 1), self.metric))
        found = _nearest_number(graph, k, seed)
        self.labels_ = np.asarray(found.membership)
        self.resolution_ = float(found.resolution_parameter)
        self.modularity_ = float(found.quality() / (2 * sum(graph.es["weight"])))
        return self


def shared_neighbors(X: Table, m: int, metric: str) -> sp.csr_array:
    """Weights W (n, n) by shared nearest neighbors, symmetric, without a diagonal.

    >>> X = np.array([[0.0], [1.0], [1.5], [9.0]])
    >>> shared_neighbors(X, 1, "euclidean").toarray().round(2)
    array([[0.  , 0.33, 0.  , 0.  ],
           [0.33, 0.  , 1.  , 0.  ],
           [0.  , 1.  , 0.  , 0.33],
           [0.  , 0.  , 0.33, 0.  ]])
    """
    n = X.shape[0]
    nearest = NearestNeighbors(n_neighbors=m, metric=metric).fit(X)
    # Not of X: among equal rows a row may not be its own nearest one. The diagonal adds it.
    A = sp.csr_array(nearest.kneighbors_graph()) + sp.csr_array(sp.identity(n))
    linked = (A + A.T).sign()
    shared = sp.coo_array(sp.csr_array(A @ A.T).multiply(linked))
    off = shared.row != shared.col
    rows = shared.row[off]
    columns = shared.col[off]
    common = shared.data[off]
    # Each row has m neighbors and itself.
    weights = common / (2 * (m + 1) - common)
    return sp.csr_array((weights, (rows, columns)), shape=(n, n))


def _graph(W: sp.csr_array) -> Any:
    """Convert weights W (n, n) to an igraph graph, each edge once."""
    igraph = import_extra("igraph", "leiden", _NEEDS)
    upper = sp.coo_array(sp.triu(W, k=1))
    edges = np.column_stack([upper.row, upper.col]).tolist()
    return igraph.Graph(n=W.shape[0], edges=edges, edge_attrs={"weight": upper.data.tolist()})


def _nearest_number(graph: Any, k: int, seed: int) -> Any:
    """Return the partition whose number of communities is nearest to k."""
    low = 0.0
    high = np.inf
    resolution = 1.0
    best = None
    for _ in range(STEPS):
        found = communities(graph, resolution, seed)
        if best is None or abs(len(found) - k) < abs(len(best) - k):
            best = found
        if len(found) == k:
            break
        if len(found) < k:
            low = resolution
        else:
            high = resolution
        resolution = _between(low, high)
    return best


def _between(low: float, high: float) -> float:
    """Next resolution to try: twice or half the only bound, else the geometric mean of both.

    >>> _between(0.0, 1.0), _between(1.0, np.inf), _between(1.0, 4.0)
    (0.5, 2.0, 2.0)
    """
    if np.isinf(high):
        return 2 * low
    return high / 2 if low == 0 else float(np.sqrt(low * high))


def communities(graph: Any, resolution: float, seed: int) -> Any:
    """Run the Leiden algorithm on a graph at a resolution; return the partition."""
    leidenalg = import_extra("leidenalg", "leiden", _NEEDS)
    return leidenalg.find_partition(
        graph,
        leidenalg.RBConfigurationVertexPartition,
        weights="weight",
        resolution_parameter=resolution,
        seed=seed,
    )
