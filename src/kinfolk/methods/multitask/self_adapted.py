"""Self-adapted multi-task clustering (SAMTC), a reconstruction.

Clusters of different tasks that look alike make a pair of sub-tasks; rows of one sub-task have
nearest rows in the other, which count as much as the two are related.

1. Each task is clustered by itself: h^t, by `init`.
2. For each two tasks, the divergences of their clusters (`numerics.cluster_divergence`)

    JSD(p, q) = 1/2 E_p ln(2p / (p + q)) + 1/2 E_q ln(2q / (p + q))                          (1)

   pair each cluster of t with the nearest of s, if that is so by `pairing`; the rows of the paired
   clusters are the sub-tasks t(s) and s(t).
3. Kernel mean matching (`numerics.mean_matching`) weighs the rows of s(t) to look like t(s):

    r_ts = <mu_b, mu_t> / (|mu_b| |mu_t|),  mu_b = (1/n) sum_j b_j z_j,  mu_t the mean of t(s) (2)

4. Similarity within task t, l_t = ceil(neighbors n_t / k_t), l_s = ceil(other_neighbors n / k) for
   the n rows and k clusters of s(t),

    S_ij = w_ij ( |N^t(i) and N^t(j)| / l_t
                  + sum_s r_ts |N^s(i) and N^s(j)| / l_s  for i and j in t(s) ),  S_ii = 0   (3)
    w_ij = exp(-|z_i - z_j|^2 / (2 h_t^2))

   where N^t(i) are the l_t rows of task t nearest to i, N^s(i) the l_s nearest rows of s(t), and
   h_t is the median distance of rows of the task.
5. Labels: normalized spectral clustering of S (`estimators.shared_neighbors`).

Symbols     Z (n, d) the rows of all T tasks at unit length.
Units       none: only the directions of rows count.
Exact       r_ts is the minimum of a convex quadratic programme, solved to rounding. Counts are
            sparse products.
Cost        n^2 d for nearest rows; some 25 times n r^2 for a programme of the n rows of a sub-task,
            r the smaller of n and d.
Limits      share_instances=False, or one task: shared-nearest-neighbor spectral clustering of
            each task by itself.
Source      Zhang, Zhang, Liu (2016), IJCAI, 2357-2363: sub-tasks by the Jensen-Shannon divergence
            of clusters, relatedness by kernel mean matching, similarity by shared neighbors in the
            own task and in the other sub-task; the grid from Zhang, Zhang, Liu (2019).
Departures  the paper's text was not at hand. The forms of (1), the rule of pairs, the linear kernel
            of (2), which has the relatedness as a cosine of means, and (3) are ours. l is 3 at
            least and `max_neighbors` at most, None as in the papers; rows whose cosine is not above
            0 are no neighbors.
"""

from itertools import permutations
from typing import Any, Self

import numpy as np

from kinfolk.arrays import Matrix, MatrixLike, Seed, Table
from kinfolk.errors import InputError
from kinfolk.estimators import checks
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.shared_neighbors import SharedNeighborClusterer, neighbor_count
from kinfolk.numerics import (
    cluster_divergence,
    distances,
    mean_matching,
    memo,
    operators,
    shared_neighbors,
    starts,
)
from kinfolk.numerics.shared_neighbors import Group
from kinfolk.running import progress
from kinfolk.tables import Tasks

STARTS = ("spectral", "kmeans")
"""Names of `init`: spectral clusters by (3) without other tasks, or k-means of unit rows."""

PAIRINGS = ("mutual", "nearest")
"""Names of `pairing`: clusters that are each other's nearest, or each cluster and its nearest."""

DIVERGENCES = ("auto", "terms", "densities")
"""Names of `divergence`; "auto" is "terms" where no number is negative."""

related = memo.remembered(mean_matching.relatedness)


@parameterized
class SAMTC(SharedNeighborClusterer):
    """Spectral clustering by neighbors shared in the own task and in related clusters of others.

    Parameters
    ----------
    n_clusters : int >= 1, or a mapping task -> int
    neighbors : float > 0, neighbors of a row in its task, as a share of the mean cluster size
        there (paper: 0.1 to 0.9); int >= 1: that many
    other_neighbors : the same for its neighbors in the sub-task of another task; None: as
        `neighbors`
    max_neighbors : int >= 1, the most neighbors of a row in a task by a share; None: no bound
    init : "spectral" or "kmeans", the first clusters of each task
    pairing : "mutual", clusters are paired if each is nearest to the other, or "nearest", each
        cluster of a task is paired with the nearest of the other
    divergence : "terms", of how columns share the sum of a cluster, for numbers of which none is
        negative; "densities", of Gaussian kernel densities; "auto": "terms" where it can be
    share_instances : bool, False leaves out steps 1 to 3 and all other tasks
    weigh_distances : bool, False leaves out the Gaussian factor of (3)
    n_init : int >= 1, k-means starts, of which each task keeps the one with the least inertia
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the cluster of each row, from 0 in each task
    task_relatedness_ : (T, T), r_ts of (2), 1 on the diagonal, 0 without a pair of clusters
    paired_clusters_ : (task, other task) -> (p, 2), the pairs of first clusters in step 2
    first_labels_ : (n,), the first clusters
    embedding_ : (n, m), rows of unit length; each task has its own k_t columns, the first of these
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; a task has one row only, or fewer than clusters

    Examples
    --------
    >>> from kinfolk.datasets import makers
    >>> data = makers.make_related_blobs(random_state=0)
    >>> model = SAMTC(n_clusters=3, random_state=0).fit(data.X, tasks=data.tasks)
    >>> model.task_relatedness_.round(2)
    array([[1., 1.],
           [1., 1.]])
    """

    of_rows = ("first_labels_",)

    n_clusters: Any = 2
    neighbors: Any = 0.5
    other_neighbors: Any = None
    max_neighbors: int | None = 100
    init: str = "spectral"
    pairing: str = "mutual"
    divergence: str = "auto"
    share_instances: bool = True
    weigh_distances: bool = True
    n_init: int = 10
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None, tasks: Any = None) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each."""
        X, found = self._open(X, tasks)
        k = checks.clusters(self.n_clusters, found)
        checks.choice("init", self.init, STARTS)
        checks.choice("pairing", self.pairing, PAIRINGS)
        checks.choice("divergence", self.divergence, DIVERGENCES)
        l = self._neighbor_counts(found.sizes, k)
        seed = self._seed()
        Z = self._compared(X, 0)
        rows = found.rows()
        groups = [[_own_group(own, l_t)] for own, l_t in zip(rows, l, strict=True)]
        self.first_labels_ = np.zeros(len(found.codes), dtype=int)
        self.paired_clusters_: dict[Any, Any] = {}
        self.task_relatedness_ = np.eye(len(k))
        if self.share_instances and len(k) > 1:
            self._cluster_first(Z, rows, groups, k, seed)
            self._relate(Z, found, groups, k)
        labels = self._cluster(Z, rows, groups, k, seed)  # (3)
        return self._record(X, found, labels, k)

    def _compared(self, X: Table, t: int) -> Table:
        """Scale rows of any task to unit length."""
        return distances.unit_rows(X.astype(np.float64, copy=False))

    def _cluster_first(
        self, Z: Table, rows: list[np.ndarray], groups: list[list[Group]], k: list[int], seed: int
    ) -> None:
        """Cluster each task by itself and set `first_labels_`."""
        n_init = checks.at_least("n_init", self.n_init, 1)
        for own, own_groups, k_t in zip(rows, groups, k, strict=True):
            V = Z[own]
            if self.init == "spectral":
                B = shared_neighbors.links_of_task(Z, own, own_groups)
                V = shared_neighbors.spectrum(B, V, self._bandwidth(Z, own), k_t).embedding()
            self.first_labels_[own] = starts.kmeans(V, k_t, seed, n_init)

    def _relate(self, Z: Table, found: Tasks, groups: list[list[Group]], k: list[int]) -> None:
        """Pair similar clusters across tasks; appends the partners to `groups` in place."""
        rows = found.rows()
        most = self._most_neighbors()
        share = self.neighbors if self.other_neighbors is None else self.other_neighbors
        known: dict[tuple[int, int], Matrix] = {}
        for t, s in progress.track(list(permutations(range(len(k)), 2)), "relating tasks"):
            here, there = (self.first_labels_[rows[i]] for i in (t, s))
            # (1) is symmetric: the pair (s, t) came before if s < t.
            back = known.pop((s, t), None)
            D = self._divergences(Z, rows[t], rows[s], (k[t], k[s])) if back is None else back.T
            if back is None:
                known[t, s] = D
            pairs = cluster_divergence.pairs(D, self.pairing == "mutual")
            self.paired_clusters_[found.names[t], found.names[s]] = np.array(pairs).reshape(-1, 2)
            if not pairs:
                continue
            takers = np.isin(here, [i for i, _ in pairs])
            clusters = np.unique([j for _, j in pairs])
            group = rows[s][np.isin(there, clusters)]
            r = related(Z[group], Z[rows[t][takers]])  # (2)
            self.task_relatedness_[t, s] = r
            l = neighbor_count("other_neighbors", share, len(group), len(clusters), most)
            groups[t].append(Group(group, l, r / l, takers))

    def _divergences(
        self, Z: Table, own: np.ndarray, other: np.ndarray, k: tuple[int, int]
    ) -> Matrix:
        """Divergences (k_t, k_s) between the first clusters of two tasks."""
        signed = bool(operators.entries(Z).min(initial=0.0) < 0)
        if signed and self.divergence == "terms":
            raise InputError(
                "divergence is 'terms' and X has negative numbers, which are no counts of terms; "
                "give divergence='densities'."
            )
        here, there = (self.first_labels_[i] for i in (own, other))
        tables = Z[own], here, Z[other], there, k
        if self.divergence == "terms" or (self.divergence == "auto" and not signed):
            return cluster_divergence.by_terms(*tables)
        both = np.sort(np.concatenate([own, other]))
        return cluster_divergence.by_densities(*tables, shared_neighbors.median_distance(Z[both]))


def _own_group(own: np.ndarray, l: int) -> Group:
    """Group of a task's own rows, with l neighbors for each row."""
    return Group(own, l, 1.0 / l, np.ones(len(own), dtype=bool))
