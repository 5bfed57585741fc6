"""Multi-task clustering through instances transfer (MTCTKI), a reconstruction.

Rows of all tasks are compared in a subspace in which the means of tasks agree; in it each row has
nearest rows in its own task and in all others, and rows that share many are alike.

1. Subspace: W (d, r) maximizes tr(W'C W) over W'W = I, with the total scatter less the linear
   maximum mean discrepancy of the tasks (`numerics.discrepancy_subspace`),

    C = (1 - a) X'H X / n  -  a 2/(T (T-1)) sum_{t<s} (m_t - m_s)(m_t - m_s)'                (1)

2. Rows: Z = X W, with rows at unit length.                                                  (2)
3. Similarity within task t, for l_t = ceil(neighbors n_t / k_t),

    N^s(i) = the l_t rows of task s nearest to row i by cosine, i itself left out             (3)
    S_ij   = exp(-|z_i - z_j|^2 / (2 h_t^2)) sum_s |N^s(i) and N^s(j)| / l_t,   S_ii = 0     (4)

   h_t the median distance of rows of the task.
4. Labels: normalized spectral clustering of S (`estimators.shared_neighbors`).

Symbols     X (n, d) all T tasks, m_t (d,) the mean of task t, H centers, a = discrepancy_weight.
Units       a common unit of all columns does not matter. A long row weighs more in C; in S only
            the directions of Z count.
Exact       nothing d x d for wide tables; counts by sparse products (`shared_neighbors`).
Cost        n^2 r for nearest rows; S holds the pairs of rows of a task that share a neighbor.
Limits      share_features=False and share_instances=False: each task by itself, on its own
            principal components: nothing is transferred. One task: the same.
Source      Zhang, Zhang, Liu, Liu (2017), Neurocomputing 251, 145-155: a subspace by maximum mean
            discrepancy that reweights distances between tasks, nearest rows of other tasks as
            auxiliary data, similarity by shared neighbors, spectral clustering; the grid from
            Zhang, Zhang, Liu (2019).
Departures  the paper's text was not at hand. Formulas (1), (2) and (4), the orthonormal form and
            equal numbers of neighbors in all tasks are ours. Eigenvectors of C whose eigenvalue is
            not above 0 are left out; l_t is 3 at least and `max_neighbors` at most, None as in the
            papers; rows whose cosine is not above 0 are no neighbors.
"""

from typing import Any, Self

import numpy as np

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.shared_neighbors import SharedNeighborClusterer
from kinfolk.numerics import discrepancy_subspace
from kinfolk.numerics.shared_neighbors import Group


@parameterized
class MTCTKI(SharedNeighborClusterer):
    """Spectral clustering by neighbors shared across tasks, in a subspace common to the tasks.

    Parameters
    ----------
    n_clusters : int >= 1, or a mapping task -> int
    n_components : int >= 1, r, dimensions of the subspace (paper: 10 to 50), fewer if rows have not
        as many
    discrepancy_weight : float in [0, 1), a, weight of the distance of task means against the
        scatter of all rows (paper: 0.5)
    neighbors : float > 0, neighbors of a row in each task as a share of the mean cluster size of
        its own (paper: 0.1 to 0.9); int >= 1: that many
    max_neighbors : int >= 1, the most neighbors of a row in a task by such a share; None: no bound
    share_instances : bool, False leaves out the neighbors in other tasks
    share_features : bool, False gives each task its own principal components; neighbors in other
        tasks need True
    weigh_distances : bool, False leaves out the Gaussian factor of (4)
    n_init : int >= 1, k-means starts, of which each task keeps the one with the least inertia
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the cluster of each row, from 0 in each task
    n_components_ : (T,), dimensions of the subspace that were used; the same for all tasks that
        share it
    embedding_ : (n, m), rows of unit length; each task has its own k_t columns, the first of these
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; a task has one row only, or fewer than clusters

    Warns
    -----
    SharingWarning : at least twice as many links to near rows lead out of the clusters of a task as
        lead out of clusters found without sharing

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> data = makers.make_related_blobs(random_state=0)
    >>> model = MTCTKI(n_clusters=3, random_state=0).fit(data.X, tasks=data.tasks)
    >>> model.embedding_.shape, model.n_components_
    ((200, 3), array([1, 1]))
    """

    compares = "distances"  # those that the subspace keeps
    from_zero = True  # then directions in it

    n_clusters: Any = 2
    n_components: int = 30
    discrepancy_weight: float = 0.5
    neighbors: Any = 0.5
    max_neighbors: int | None = 100
    share_instances: bool = True
    share_features: bool = True
    weigh_distances: bool = True
    n_init: int = 10
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None, tasks: Any = None) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each."""
        X, found = self._open(X, tasks)
        k = checks.clusters(self.n_clusters, found)
        r = checks.at_least("n_components", self.n_components, 1)
        weight = checks.number(
            "discrepancy_weight", self.discrepancy_weight, 0.0, 1.0, open_low=False
        )
        if self.share_instances and not self.share_features:
            raise InputError(
                "share_instances is True and share_features False: rows of different tasks then "
                "lie in different subspaces and have no distance; give share_instances=False too."
            )
        l = self._neighbor_counts(found.sizes, k)
        rows = found.rows()
        self._learn_subspaces(X, found.codes, rows, (weight, r))  # (1)
        Z = np.zeros((X.shape[0], self._width()))
        for t, own in enumerate(rows):
            Z[own] = self._compared(X[own], t)  # (2)
        groups = [self._groups_of(rows, t, l[t]) for t in range(len(rows))]  # (3)
        labels = self._cluster(Z, rows, groups, k, self._seed())  # (4)
        if self.share_instances:
            advice = "Give share_instances=False, which shares no neighbors"
            self._warn_of_dear_cuts(X, found, labels, k, advice)
        return self._record(X, found, labels, k)

    def _learn_subspaces(
        self, X: Table, codes: Labels, rows: list[np.ndarray], rule: tuple[float, int]
    ) -> None:
        """Set the subspace of each task and `n_components_`; `rule` is (discrepancy weight, r)."""
        if self.share_features:
            W = discrepancy_subspace.subspace(X, codes, *rule)
            self._subspaces = [W] * len(rows)
        else:
            alone = [np.zeros(len(own), dtype=int) for own in rows]
            self._subspaces = [
                discrepancy_subspace.subspace(X[own], one, *rule)
                for own, one in zip(rows, alone, strict=True)
            ]
        self.n_components_ = np.array([W.shape[1] for W in self._subspaces])

    def _compared(self, X: Table, t: int) -> Matrix:
        """Project rows X (n, d) on the subspace of task t and scale them to unit length."""
        Z = discrepancy_subspace.projected(X, self._subspaces[t])
        return np.pad(Z, ((0, 0), (0, self._width() - Z.shape[1])))

    def _width(self) -> int:
        """Dimension of the largest subspace, at least 1: columns of the projected rows."""
        return max(1, int(self.n_components_.max()))

    def _groups_of(self, rows: list[np.ndarray], t: int, l: int) -> list[Group]:
        """Groups of rows where task t seeks l neighbors: every task, or task t alone."""
        everyone = np.ones(len(rows[t]), dtype=bool)
        sources = range(len(rows)) if self.share_instances else [t]
        return [Group(rows[s], l, 1.0 / l, everyone) for s in sources]
