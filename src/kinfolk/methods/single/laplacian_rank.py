"""Constrained Laplacian rank (CLR): the nearest graph that has exactly k components.

Of squared distances e_ij to the nearest rows, e_i1 <= e_i2 ..., the first graph A has the weights

    a_ij = (e_i,m+1 - e_ij) / (m e_i,m+1 - sum_h<=m e_ih)   for the m nearest rows, else 0.   (17)

Over graphs S >= 0 with rows of sum 1, positive only where A is, and vectors F of length n,

    min |S - A|^2 + 2 lambda tr(F'L F),   F'F = I (n, k),   L the Laplacian of (S + S')/2,    (9)

whose second term is 2 lambda times the sum of the k smallest eigenvalues of L, 0 if and only if S
has k components:

    1. F are the k eigenvectors of the smallest eigenvalues of L.
    2. Row i of S is the projection of a_ij - lambda/2 |F[i] - F[j]|^2, over the j with a_ij > 0,
       onto the simplex.                                                                     (12)
    3. With fewer than k components lambda doubles; with more it is halved, and F is the one
       before. With k components they are the clusters.

Symbols     X (n, d), A and S (n, n) sparse, F (n, k), m = n_neighbors.
Units       none: (17) does not see the unit of X.
Exact       S has at most m entries per row; components are counted, where the authors' code asks
            if eigenvalues are below 1e-10; eigenvectors are those of each component (`spectra`).
Limits      a graph A of k components is the answer itself.
Source      Nie, Wang, Jordan, Huang, AAAI 2016, with the equations' numbers there, and the authors'
            code CLR.m for lambda, steps 1 to 3 and the 30 iterations.
Departures  where A has more than k components, of which the code says that it cannot go on, m
            doubles until it has at most k. If no graph with k components is found, the one with
            the most components below k is the answer, and an EmptyClusterWarning says so.
Beyond      a new row goes to the cluster in which its nearest rows have the largest sum of (17);
            a row that equals one of the fit to its cluster.
"""

from typing import NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Matrix, MatrixLike, Table
from kinfolk.estimators import checks, kept_rows, warn
from kinfolk.estimators.base import Clusterer
from kinfolk.estimators.parameterized import parameterized
from kinfolk.numerics import distances, graphs, label_graphs, memo, operators, simplex, spectra

FIRST_LAMBDA = 0.1
"""First lambda of the authors' code."""


class GraphComponents(NamedTuple):
    """Graph S (n, n), CSR with rows of sum 1, and the connected component (n,) of each row."""

    S: sp.csr_array
    component: Labels

    @property
    def n_components(self) -> int:
        """The number of connected components."""
        return int(self.component.max()) + 1


@memo.remembered
def neighbor_weights(X: Table, m: int) -> sp.csr_array:
    """Graph A (n, n) with adaptive weights of each row's m nearest other rows.

    >>> neighbor_weights(np.array([[0.0], [1.0], [3.0], [9.0]]), 2).toarray().round(3)[0]
    array([0.   , 0.526, 0.474, 0.   ])
    """
    n = X.shape[0]
    m = min(m, n - 1)
    near, squares = label_graphs.nearest(X, m + 1)
    sizes = distances.squared_norms(distances.nearby(X, X)[0])
    return _weighted(near, squares, m, sizes, n)


def _weighted(near: np.ndarray, squares: Matrix, m: int, sizes: np.ndarray, n: int) -> sp.csr_array:
    """Build the adaptive weights of rows from their m + 1 nearest rows near (r, m + 1)."""
    column, weights = graphs.simplex_neighbors(squares, min(m, near.shape[1]), sizes)
    weights = weights / weights.sum(axis=1, keepdims=True)
    return graphs.directed(np.take_along_axis(near, column, axis=1), weights, n)


def components(S: sp.csr_array) -> GraphComponents:
    """Find the connected components, numbered by their first rows."""
    label = sp.csgraph.connected_components(S, directed=False)[1]
    _, first, inverse = np.unique(label, return_index=True, return_inverse=True)
    return GraphComponents(S, np.argsort(np.argsort(first))[inverse])


def projected(A: sp.csr_array, F: Matrix, lam: float) -> sp.csr_array:
    """Graph near A whose rows sum to 1, with weaker links between rows far apart in F (n, k).

    >>> A = sp.csr_array([[0.0, 0.6, 0.4], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    >>> projected(A, np.array([[0.0], [0.0], [1.0]]), 0.4).toarray().round(2)[0]
    array([0. , 0.7, 0.3])
    """
    counts = np.diff(A.indptr)
    row = np.repeat(np.arange(A.shape[0]), counts)
    far = np.square(F[row] - F[A.indices]).sum(axis=1)
    # Rows of unequal numbers of links stand side by side; what is missing projects to 0.
    table = np.full((A.shape[0], int(counts.max())), -np.inf)
    place = np.arange(A.nnz) - A.indptr[row]
    table[row, place] = A.data - lam / 2.0 * far
    weights = simplex.project(table, axis=1)[row, place]
    S = sp.csr_array((weights, A.indices.copy(), A.indptr.copy()), shape=A.shape)
    S.eliminate_zeros()
    return S


class Found(NamedTuple):
    """The graph found, the number of graphs tried, and True if it has k components."""

    graph: GraphComponents
    n_iter: int
    converged: bool


def constrained(A: sp.csr_array, k: int, max_iter: int) -> Found:
    """Find the graph near A (n, n) with k components, adapting the penalty's weight."""
    best = components(A)
    if best.n_components == k:
        return Found(best, 1, True)
    lam = FIRST_LAMBDA
    F = spectra.flattest(graphs.symmetrized(A), k)[1]
    for i in range(max_iter):
        S = components(projected(A, F, lam))  # 2
        found = S.n_components
        if found == k:
            return Found(S, i + 2, True)
        if found > k:  # 3
            lam /= 2.0
            continue
        lam *= 2.0
        if found >= best.n_components:
            best = S
        F = spectra.flattest(graphs.symmetrized(S.S), k)[1]  # 1
    return Found(best, max_iter + 1, False)


@parameterized
class CLR(Clusterer):
    """Clusters as the connected components of a graph near the nearest-neighbor graph.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of components
    n_neighbors : int >= 1, m, links of a row in the first graph (published: 10 to 100)
    max_iter : int >= 1, the most projections (the authors' code: 30)

    Attributes
    ----------
    labels_ : (n,), the component of each row
    graph_ : (n, n), S, sparse, rows sum to 1
    n_neighbors_ : m of the first graph, larger than given if that left more than k components
    n_iter_ : number of graphs, the first one included
    converged_ : True if S has k components

    Raises
    ------
    InputError : X or a parameter cannot be used

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [7.0], [8.0], [9.5]])
    >>> model = CLR(n_clusters=2, n_neighbors=3).fit(X)
    >>> model.labels_, model.predict([[6.0]])
    (array([0, 0, 0, 1, 1, 1]), array([1]))
    """

    keeps_row_order = True

    compares = "distances"
    keeps = kept_rows.ROWS

    n_clusters: int = 2
    n_neighbors: int = 10
    max_iter: int = 30

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d), n >= k; InputError if X or a parameter cannot be used."""
        X, k = self._open(X, self.n_clusters)
        m = checks.at_least("n_neighbors", self.n_neighbors, 1)
        max_iter = checks.at_least("max_iter", self.max_iter, 1)
        A = neighbor_weights(X, m)
        while components(A).n_components > k and m < X.shape[0] - 1:
            m = 2 * m
            A = neighbor_weights(X, m)
        self.n_neighbors_ = min(m, X.shape[0] - 1)
        found = constrained(A, k, max_iter)
        self.graph_ = sp.csr_array(self._unsorted(self._unsorted(found.graph.S).T).T)
        self.n_iter_ = found.n_iter
        self.converged_ = found.converged
        warn.unless_converged(self)
        self._rows = X
        near, squares = label_graphs.nearest(X, self.n_neighbors_)
        equal = label_graphs.same_place(X, X, near, squares)
        self.labels_ = found.graph.component[graphs.first_of_equal(near, equal)]
        warn.of_deciding_column(self, [X], [self.labels_], [None])
        return self._record()

    def predict(self, X: MatrixLike) -> Labels:
        """Assign new rows X (m, d) to clusters by the weights of their nearest training rows."""
        X = self._new_rows(X)
        n = self._rows.shape[0]
        near, squares = label_graphs.nearest(self._rows, self.n_neighbors_ + 1, X)
        sizes = distances.squared_norms(distances.nearby(X, self._rows)[0])
        links = _weighted(near, squares, self.n_neighbors_, sizes, n)
        fitted = self._sorted(self.labels_)
        member = np.eye(int(fitted.max()) + 1)[fitted]
        labels = operators.times(links, member).argmax(axis=1)
        equal = label_graphs.same_place(X, self._rows, near[:, :1], squares[:, :1])[:, 0]
        return np.where(equal, fitted[near[:, 0]], labels)
