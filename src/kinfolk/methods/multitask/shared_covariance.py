"""Gaussian mixtures of several tasks that have one covariance matrix in common.

    p_t(x) = sum_j w_tj N(x; m_tj, S)

Each task has its own clusters, with shares and means of their own; the shape of a cluster is the
same everywhere, and learnt from the rows of all tasks. So d (d + 1) / 2 numbers are shared, which a
small task could not estimate by itself, and a task may be shifted or lack clusters of the others.
The EM steps, the prior and their equations (1)-(5) are in `numerics/gaussian_mixtures`.

Symbols     X_t (n_t, d), w_t (k_t,), m_t (k_t, d), S (d, d).
Units       w has none, m those of X, S their products. Another unit of a column changes the k-means
            starts, unless rows are whitened, and nothing else; a shift of a task changes nothing.
Limits      one task: `methods/single/tied_mixture`.
Source      ours; the multi-task form of the model "EEE" of Celeux, Govaert, Pattern Recognition 28,
            1995. The prior is of Fraley and Raftery's kind (2007).
Beyond      a new row goes to the most probable cluster of its task.
"""

from typing import Any, Self

import numpy as np

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table
from kinfolk.estimators import checks, kept_rows, warn
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.numerics import gaussian_mixtures, starts
from kinfolk.numerics.gaussian_mixtures import State

INITS = ("kmeans", "whitened")


@parameterized
class SharedCovarianceMixture(MultiTaskClusterer):
    """Gaussian mixtures of several tasks whose clusters have one covariance matrix in common.

    Parameters
    ----------
    n_clusters : int >= 1, or a mapping task -> int
    init : "kmeans" starts from the k-means clusters of the rows as they are, "whitened" from those
        of rows that vary as much in all directions, as long clusters side by side need
    covariance_shrinkage : float in [0, 1), rho, how far the covariance is drawn to a diagonal one;
        "auto": by the rule of Ledoit and Wolf
    n_init : int >= 1, k-means starts in each task; the run with the lowest J is kept
    max_iter : int >= 1, the most sweeps of EM
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the most probable cluster of each row in its task
    memberships_ : list of T arrays (n_t, k_t), probabilities, in the row order of each task
    weights_ : (C,), the share of each cluster in its task, in the order of `clusters_`
    cluster_centers_ : (C, d), their means
    covariance_ : (d, d), of all clusters of all tasks
    covariance_shrinkage_ : the rho that was used
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    and all of `MultiTaskClusterer`

    Warns
    -----
    ManyColumnsWarning : X has at least as many columns as rows

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> length = 4 * random.normal(size=40)  # two long clusters side by side
    >>> X = np.column_stack([length, length + random.normal(size=40) / 2 + 4 * (np.arange(40) % 2)])
    >>> X[:20] += 100.0
    >>> model = SharedCovarianceMixture(random_state=0).fit(X, tasks=["a"] * 20 + ["b"] * 20)
    >>> model.labels_[:6], model.labels_[20:26], model.covariance_.round(1)
    (array([1, 0, 1, 0, 1, 0]), array([0, 1, 0, 1, 0, 1]), array([[8.4, 8.4],
           [8.4, 9.1]]))
    >>> model.predict([[120.0, 120.0]], tasks="a")
    array([1])
    """

    compares = "distances"  # those of the k-means starts
    keeps = kept_rows.MEMBERSHIPS
    of_rows = ("memberships_",)

    n_clusters: Any = 2
    init: str = "kmeans"
    covariance_shrinkage: float | str = "auto"
    n_init: int = 10
    max_iter: int = 300
    tol: float = 1e-6
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None, tasks: Any = None) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each."""
        X, found = self._open(X, tasks)
        k = checks.clusters(self.n_clusters, found)
        if max(k) > 1:
            warn.of_separable_rows(X, "JointSpectral, which compares distances")
        tables = [X[rows] for rows in found.rows()]
        init = checks.choice("init", self.init, INITS)
        shrinkage = checks.covariance_shrinkage(self.covariance_shrinkage)
        p = gaussian_mixtures.in_span(gaussian_mixtures.problem(tables, k, shrinkage))
        # In rows less the means of their tasks the covariance within all tasks is whitened.
        starting = tables if init == INITS[0] else gaussian_mixtures.round_tables(p)

        def start(seed: int) -> State:
            # One seed for all tasks, so that their order does not matter.
            labels = [starts.kmeans(Z, k_t, seed) for Z, k_t in zip(starting, k, strict=True)]
            return gaussian_mixtures.start(p, labels, k)

        run = Settings.of(self).best(
            start=start,
            sweep=lambda s: gaussian_mixtures.sweep(p, s),
            objective=lambda s: s.loss,
            scale=p.scale,
            what="Gaussian mixtures",
        )
        mixture = gaussian_mixtures.unstandardized(p, run.state.mixture)
        self.weights_ = np.concatenate(mixture.weights)
        self.cluster_centers_ = np.vstack(mixture.centers).astype(X.dtype, copy=False)
        self.covariance_ = mixture.covariance
        self._ends = np.cumsum(k)
        self.covariance_shrinkage_ = p.prior.shrinkage
        self.memberships_ = [self._memberships(X_t, t) for t, X_t in enumerate(tables)]
        labels = found.merged(R.argmax(axis=1) for R in self.memberships_)
        return self._record(X, found, labels, k, run)

    def _assign(self, X: Table, t: int) -> Labels:
        return self._memberships(X, t).argmax(axis=1)

    def _memberships(self, X: Table, t: int) -> Matrix:
        at = slice(self._ends[t - 1] if t else 0, self._ends[t])
        return gaussian_mixtures.memberships_of(
            X, self.weights_[at], self.cluster_centers_[at], self.covariance_
        )
