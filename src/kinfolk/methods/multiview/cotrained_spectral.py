"""Co-trained spectral clustering: each view's similarities are projected on the others' embedding.

With the similarities W_v of each view, U_v the k leading eigenvectors of D_v^-1/2 W_v D_v^-1/2, and
in each round for all views at once

    S_v = sym( mean over w != v of U_w U_w'  W_v ),   sym(M) = (M + M') / 2           (1)
    S_v = S_v - min(S_v, 0)                                                           (2)
    U_v = the k leading eigenvectors of S_v as a similarity                           (3)

The labels are those of k-means on U_1, ..., U_V side by side, each with rows of length 1.

Symbols     W_v and S_v (n, n), U_v (n, k); every round starts from W_v again. (2) subtracts the
            smallest entry, if it is negative.
Units       none: the graphs have a scale for each row, see `local_graphs`.
Exact       dense n x n: at most 5000 rows. There is no objective: rounds are counted.
Limits      no round: spectral clustering of each view, its embeddings side by side. One view: that
            of its graph. A view whose rows are all equal takes no part, unless there is no other.
Source      Kumar, Daume: A co-training approach for multi-view spectral clustering. ICML 2011,
            algorithm 1; more than two views: section 3.1.
Departures  (2): projections have negative entries, and a similarity may not; the source does not
            say what to do. It has Gaussian kernels of all pairs: here the graph of nearest rows
            with local scales.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from kinfolk.arrays import Matrix, MatrixLike, Seed
from kinfolk.estimators import checks, embedded
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.voted_views import VotedViews
from kinfolk.numerics import (
    centered_kernels,
    distances,
    local_graphs,
    operators,
    starts,
    view_centers,
    view_graphs,
)


def projected(W: Matrix, U: Sequence[Matrix]) -> Matrix:
    """Project a view's similarities W (n, n) on the embeddings of the other views, by (1) and (2).

    >>> projected(np.array([[0.0, 2.0], [2.0, 0.0]]), [np.array([[1.0], [0.0]])])
    array([[0., 1.],
           [1., 0.]])
    """
    M: Matrix = np.mean([part @ (part.T @ W) for part in U], axis=0)
    S = (M + M.T) / 2.0  # (1)
    return S - min(S.min(), 0.0)  # (2)


def embedding(W: Matrix, k: int) -> Matrix:
    """Return the k leading eigenvectors (n, k) of the normalized similarities W (n, n).

    >>> abs(embedding(np.kron(np.eye(2), np.ones((2, 2))), 2)).sum(axis=1).round(3).std()
    np.float64(0.0)
    """
    scale = distances.inverse_lengths(W.sum(axis=1))
    return centered_kernels.leading(W * scale[:, None] * scale, k)


def exchanged(W: Sequence[Matrix], U: Sequence[Matrix]) -> list[Matrix]:
    """Return the embeddings U_v (n, k) of all views after one round."""
    if len(W) == 1:
        return list(U)
    k = U[0].shape[1]
    return [
        embedding(projected(own, [*U[:v], *U[v + 1 :]]), k)  # (3)
        for v, own in enumerate(W)
    ]


@parameterized
class CotrainedSpectral(VotedViews):
    """Spectral clustering of several views, whose graphs are projected on each other's embeddings.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters
    views : mapping view -> columns of X (slice, positions or names); None: one view
    n_rounds : int >= 0, the rounds of (1) to (3)
    n_neighbors : int >= 1, l, nearest rows that a row is linked to in each view; None: half of the
        mean cluster size, at least 5 and at most 20
    n_init : int >= 1, k-means starts in the embeddings
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the cluster of each row
    view_names_ : (V,)
    view_weights_ : (V,), equal: the method has no weights of views

    Raises
    ------
    InputError : a parameter is out of range, or X is no finite table of k to 5000 rows

    Examples
    --------
    >>> from kinfolk.tables import join
    >>> a = np.repeat([0.0, 5.0], 8)[:, None] + 0.1 * np.arange(16)[:, None]
    >>> X, views = join({"a": a, "b": -a})
    >>> model = CotrainedSpectral(n_clusters=2, views=views, n_neighbors=2, random_state=0).fit(X)
    >>> model.labels_, model.predict([[1.0, -1.0], [5.0, -5.0]])
    (array([0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]), array([0, 1]))
    """

    n_clusters: int = 2
    views: Mapping[Any, Any] | None = None
    n_rounds: int = 5
    n_neighbors: int | None = None
    n_init: int = 10
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Cluster the rows of X (n, d)."""
        rows, k = self._open_rows(X)
        n = rows.X.shape[0]
        self._few_rows(n)
        rounds = checks.at_least("n_rounds", self.n_rounds, 0)
        l = view_graphs.neighbors(n, k) if self.n_neighbors is None else self.n_neighbors
        l = checks.at_least("n_neighbors", l, 1)
        seed, n_init = embedded.kmeans_starts(self)
        tables = rows.sorted_tables()
        # Equal rows have any embedding, and the projections on it would spoil the other views.
        one = np.ones(n)
        differ = [view_centers.squared(T, operators.dense(T[:1]), one).any() for T in tables]
        telling = [T for T, several in zip(tables, differ, strict=True) if several] or tables
        W = [local_graphs.local_graph(T, l).toarray() for T in telling]
        U = [embedding(own, k) for own in W]
        for _ in range(rounds):
            U = exchanged(W, U)
        places = np.hstack([distances.unit_rows(part) for part in U])
        return self._record_labels(rows, starts.kmeans(places, k, seed, n_init))
