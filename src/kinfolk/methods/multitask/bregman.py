"""Multi-task Bregman clustering (MBC), and S-MBC, which shares only if the loss falls.

k-means of each task, with centers drawn towards those of the clusters of other tasks that a plan of
transport relates to them:

    J = 1/T sum_t 1/n_t sum_i |x_ti - m_t,h(i)|^2
      + lambda/(T(T-1)) sum_{t != s} sum_kl R_ts[k,l] |m_tk - m_sl|^2                     (1)

over labels h, centers m and plans R_ts >= 0 whose marginals are the shares of rows of the clusters.
From k-means labels, exact steps of R, of all centers together and of the labels; they, the guard by
which J never rises, and the choice of S-MBC are equations (2)-(6) of `numerics/related_centers`.
S-MBC (`local_loss`) has two sets of centers and labels for each task in every sweep, one drawn by
other tasks and one that is not, and keeps the one with the lower loss in the task's own rows.

Symbols     X_t (n_t, d), m_t (k_t, d), R_ts (k_t, k_s).
Units       J in squared units of X; lambda has none: with lambda = 1/2 the rows of a cluster and
            all other tasks together have equal weight in its center.
Limits      relation_weight = 0, or one task: k-means of each task. local_loss="centroid" is k-means
            nearly always.
Source      Zhang, Zhang, AAAI 2010 (MBC); Zhang, Zhang, AAAI 2013, and Zhang, Zhang, Liu, ACM TKDD
            10(1), 2015 (S-MBC).
Departures  A reconstruction. Published, as their abstracts and citing papers tell: the mean
            divergence from the centers, a term that relates the clusters of each pair of tasks as a
            joint density, the turns of plans, centers and labels, and the choice of S-MBC by the
            loss of each task. Ours: the transport between centers, its weight lambda/(T(T-1)), the
            joint system of centers, the guard, and local_loss="partition". Measured at the centers
            themselves, "centroid" is the literal reading: drawn centers fit own rows worse.
            Squared distances only. Another Bregman divergence has a mean as best center where
            centers are its second argument, and in d(m_t, m_s) one of them is the first.
Beyond      a new row goes to the nearest center of its task.
"""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table
from kinfolk.estimators import checks
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.related_centers import RelatedCentersClusterer, middle_of, shifted
from kinfolk.numerics import distances
from kinfolk.numerics.related_centers import PointRows


def nearest(X: Table, V: Matrix) -> Labels:
    """Index of the nearest center in V (k, d) for each row of X (m, d).

    >>> nearest(np.array([[0.0], [9.0]]), np.array([[8.0], [1.0]]))
    array([1, 0])
    """
    V = V.astype(np.float64)
    # Far from 0 squared distances are small differences of large numbers.
    middle = np.zeros(V.shape[1]) if sp.issparse(X) else V.mean(axis=0)
    return distances.squared(shifted(X, middle), V - middle).argmin(axis=1)


@parameterized
class MBC(RelatedCentersClusterer):
    """Multi-task k-means whose centers attract related clusters' centers of other tasks.

    Parameters
    ----------
    n_clusters : int >= 1, or a mapping task -> int
    relation_weight : float >= 0, lambda (paper: 0.1 to 1); 0 is k-means of each task
    marginals : "size", shares of rows, or "uniform", the same for all clusters of a task
    local_loss : None: centers are always drawn (MBC); "partition" or "centroid": a task takes drawn
        centers only where this loss of its own rows is lower for it (S-MBC)
    init : "kmeans" labels of each task, or nearest of k rows drawn at "random"
    n_init : int >= 1, starts, of which the one with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the nearest center of the task, as `predict` gives it
    cluster_centers_ : (C, d), in units of X, in the order of `clusters_`
    cluster_relatedness_ : (task, other task) -> plan R (k, k_other), entries sum to 1; both orders
    shared_sweeps_ : (T,), sweeps in which a task took drawn centers, with `local_loss`
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep; with `local_loss` the
        mean of the tasks' own losses
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; a task has fewer rows than clusters

    Warns
    -----
    SharingWarning : relations raise the squared error of a task's clusters by a twentieth or more

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [8.0], [9.0], [0.5], [1.5], [8.0]])
    >>> model = MBC(2, relation_weight=1.0, random_state=0).fit(X, tasks=list("aaaabbb"))
    >>> model.labels_
    array([0, 0, 1, 1, 0, 0, 1])
    >>> model.cluster_relatedness_["a", "b"].round(2).tolist()
    [[0.5, 0.0], [0.17, 0.33]]
    >>> model.cluster_centers_.ravel().round(1)
    array([1.7, 6.4, 2.2, 6.9])
    >>> model.predict([[3.0]], tasks="b")
    array([0])
    """

    n_clusters: Any = 2
    relation_weight: float = 0.5
    marginals: str = "size"
    local_loss: str | None = None
    init: str = "kmeans"
    n_init: int = 10
    max_iter: int = 300
    tol: float = 1e-6
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None, tasks: Any = None) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each."""
        X, found = self._open(X, tasks)
        k = checks.clusters(self.n_clusters, found)
        settings = Settings.of(self)
        # One shift for all tasks leaves all distances as they are, and makes them exact.
        middle = middle_of(X)
        tables = [X[rows] for rows in found.rows()]
        centered = [shifted(table, middle) for table in tables]
        run = self._descend(PointRows(centered, k), centered, len(middle), settings, found)
        self.cluster_centers_ = (run.state.V + middle).astype(X.dtype, copy=False)
        return self._record(X, found, self._labels(tables, found), k, run)

    def _assign(self, X: Table, t: int) -> Labels:
        return nearest(X, self.cluster_centers_[self._own(t)])
