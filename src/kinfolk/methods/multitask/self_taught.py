"""Self-taught clustering (STC): co-clustering of several tables with shared column clusters.

A task's table, divided by its sum, is a joint distribution of rows and columns. Each task in turn
is the target, and the others are auxiliary data: rows of every task get clusters of their own, and
columns get clusters that all of them share. Minimize the information that clusters lose,

    J = I(X; Z) - I(X~; Z~) + lambda sum_s ( I(Y_s; Z) - I(Y~_s; Z~) )                (5)

over clusters X~ of the target's rows X, Y~_s of the rows Y_s of each auxiliary task, and Z~ of the
columns Z, by steps (14)-(16) of `coclusters`, from k-means of the rows and random Z~.

Symbols     X (n, d), m = n_feature_clusters, lambda = auxiliary_weight.
Units       J in nats.
Exact       at lambda = 1 all tasks have the same J, so that one descent serves them all.
Limits      lambda = 0, or one task: information-theoretic co-clustering of each task by itself.
            m >= d: no clusters of columns; k-means of rows by the Kullback-Leibler divergence of
            their shares, with the row's share of the sum as its weight.
Source      Dai, Yang, Xue, Yu (2008), ICML, equations (5)-(9), (14)-(16).
Departures  1. The paper has one set of auxiliary data: the sum over several, and each task as the
            target in turn, are ours.
            2. The start is not known to us: k-means of the rows by Hellinger's distance, and
            columns at random. init="random" has both at random.
            3. The paper clusters counts. Other numbers are doubled first (`doubling`).
            4. lambda = 1 and m = 32 are defaults of ours; the values tried in the paper were not at
            hand.
Beyond      a new row of a task goes to the cluster of (14), by the blocks of the fit. Columns that
            the task lacked in the fit are left out; if no cluster has mass wherever the row has,
            those that miss the least of it come first.
"""

from typing import Any, Self

import numpy as np

from kinfolk.arrays import Labels, MatrixLike, Seed, Table
from kinfolk.estimators import checks, coclustering
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.estimators.descent import Run, Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.numerics import coclusters
from kinfolk.numerics.coclusters import Domain, State

INITS = ("kmeans", "random")


@parameterized
class STC(MultiTaskClusterer):
    """Co-clustering of several tasks' rows and their common columns, with shared column clusters.

    Parameters
    ----------
    n_clusters : int >= 1, or a mapping task -> int
    n_feature_clusters : int >= 1, the number of clusters of columns, if there are as many columns
    auxiliary_weight : float >= 0, lambda, the weight of each other task; 0: each task by itself
    encoding : "raw" for counts and amounts, "shifted" (each column less its least number),
        "doubled" (each column as a share of its range, and what is left of it), or "auto": "raw" if
        the table has the zeros of counts or amounts, else "doubled"
    init : "kmeans" of the rows of each task, or "random"; columns start at random
    n_init : int >= 1, starts, of which that with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the cluster of each row, from 0 in each task
    feature_clusters_ : (T, p), the cluster of each of the p columns for each task as the target;
        p is d, or 2d if doubled, the second d for what is left of the range
    block_sums_ : list of T arrays B (k_t, m), the share of the task's sum in each block
    encoding_ : the encoding that was used
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    objective_traces_ : {"all tasks": the same} for auxiliary_weight=1; else target -> that of its J
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range, a task has fewer rows than clusters, or X has negative
        numbers and encoding is "raw"

    Examples
    --------
    >>> X = np.array([[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 3, 1], [4, 3, 0, 1], [0, 1, 2, 2]])
    >>> model = STC(n_feature_clusters=2, random_state=0).fit(X, tasks=list("aaabb"))
    >>> model.labels_, model.feature_clusters_[0]
    (array([0, 0, 1, 0, 1]), array([0, 0, 1, 1]))
    >>> model.block_sums_[0].round(2)
    array([[0.6, 0. ],
           [0. , 0.4]])
    >>> model.predict([[1, 0, 5, 2]], tasks="b")
    array([1])
    """

    compares = "nothing"

    n_clusters: Any = 2
    n_feature_clusters: int = 32
    auxiliary_weight: float = 1.0
    encoding: str = "auto"
    init: str = "kmeans"
    n_init: int = 10
    max_iter: int = 300
    tol: float = 1e-6
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None, tasks: Any = None) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each."""
        X, found = self._open(X, tasks)
        k = checks.clusters(self.n_clusters, found)
        weight = checks.not_negative("auxiliary_weight", self.auxiliary_weight)
        checks.choice("init", self.init, INITS)
        settings = Settings.of(self)
        Z = coclustering.fit_encoding(self, X)
        m = coclustering.n_feature_clusters(self, Z.shape[1])
        domains = [Domain(Z[rows], own) for rows, own in zip(found.rows(), k, strict=True)]
        runs = self._descents(domains, m, weight, settings)
        T = len(domains)
        states = [runs[t % len(runs)].state for t in range(T)]
        # A target that is the only domain of its problem is the first there.
        places = range(T) if weight > 0 else [0] * T
        self.feature_clusters_ = np.array([state.columns for state in states])
        self.block_sums_ = [s.blocks[t] for s, t in zip(states, places, strict=True)]
        labels = found.merged(self._assign_encoded(own.X, t) for t, own in enumerate(domains))
        return self._record(X, found, labels, k, runs if len(runs) > 1 else runs[0])

    def _descents(
        self, domains: list[Domain], m: int, weight: float, settings: Settings
    ) -> list[Run[State]]:
        """Descend with each task as the target, or once if all have the same objective."""

        def best(weights: list[float]) -> Run[State]:
            pairs = zip(domains, weights, strict=True)
            p = coclusters.problem([own._replace(weight=w) for own, w in pairs if w > 0], m)
            return settings.best(
                start=lambda seed: coclustering.start(p, self.init, seed),
                sweep=lambda s: coclusters.sweep(p, s),
                objective=lambda s: coclusters.objective(p, s),
                scale=coclusters.scale(p),
                what="self-taught clustering",
            )

        T = len(domains)
        if weight == 1 or T == 1:
            return [best([1.0] * T)]
        return [best([1.0 if s == t else weight for s in range(T)]) for t in range(T)]

    def _assign(self, X: Table, t: int) -> Labels:
        return self._assign_encoded(coclustering.encode(self, X), t)

    def _assign_encoded(self, Z: Table, t: int) -> Labels:
        B = self.block_sums_[t]
        return coclusters.nearest(
            coclusters.by_columns(Z, self.feature_clusters_[t], B.shape[1]), B
        )
