"""Multi-task kernel k-means (MKC), and S-MKC, which shares only if the loss falls.

The objective, the steps and the choice by local loss are those of MBC, equations (1)-(6) of
`numerics/related_centers`, for the images phi(x) of the rows of all tasks. A center is a mixture of
images, m = sum_j b_j phi(x_j), with weights from (3): e_C/n_C, equal weights of the rows of a
cluster, stand in place of its mean. With K_ij = phi(x_i)'phi(x_j),

    |phi(x) - m|^2 = k(x, x) - 2 sum_j b_j k(x, x_j) + b'K b                              (7)

    k(x, y) = exp(-|x - y|^2 / (2 h^2)),   h the median distance of rows                   (8)

Symbols     K (N, N) of the N rows of all tasks, B (C, N) a row of weights for each cluster.
Units       J and lambda have none; h is in units of X.
Memory      K has N^2 numbers, and a sweep takes time in N^2: at most `MOST_ROWS` rows.
Limits      with k(x, y) = x'y it is MBC to rounding; relation_weight=0 is kernel k-means of each
            task.
Source      Zhang, Zhang, AAAI 2013, and Zhang, Zhang, Liu, ACM TKDD 10(1), 2015; (8) as in Zhang,
            Zhang, Liu (2019).
Departures  A reconstruction, as MBC. Published: that the steps compute with a kernel of all rows
            and with non-negative partitions, by a loss other than that of MBC, in time n^2. Ours:
            the loss is that of MBC in the space of the kernel, and a row belongs to one cluster.
            With free memberships P >= 0 the relations say nothing: P s and m / s fit as well for
            any s > 0, and bring all centers together at 0.
Beyond      a new row goes to the nearest center of its task by (7).
"""

from typing import Any, Self

import numpy as np

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table
from kinfolk.errors import InputError
from kinfolk.estimators import checks, kept_rows
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.estimators.related_centers import RelatedCentersClusterer, middle_of, shifted
from kinfolk.numerics import affinities, associations, operators, similarities, starts
from kinfolk.numerics.features import Features
from kinfolk.numerics.related_centers import KernelRows

MOST_ROWS = 20_000
"""Most rows of all tasks together: their kernel holds 3.2 GB."""


SAMPLE = 1000
"""Rows sampled for the median distance, which is close to that of all rows."""


ROUNDING = 1e-12
"""Squared distances below this share of the squared lengths of rows may be rounding alone."""


def median(D: Matrix, Z: Features, random: np.random.RandomState) -> float:
    """Median distance of at most `SAMPLE` drawn rows Z (n, d), from their squared distances D.

    That of different rows if most pairs are of equal ones, and 1 if all are.

    >>> Z = Features([np.array([[0.0], [0.0], [0.0], [0.0], [3.0]])])
    >>> median(affinities.squared_distances(Z, Z), Z, None)
    3.0
    """
    drawn = starts.at_most(np.arange(len(D)), SAMPLE, random)
    pairs = D[np.ix_(drawn, drawn)][np.triu_indices(len(drawn), k=1)]
    found = float(np.median(np.sqrt(pairs)))
    if found**2 > ROUNDING * Z.squared_norms().max():
        return found
    return associations.median_apart(Z.rows(drawn).dense())


@parameterized
class MKC(RelatedCentersClusterer):
    """Multi-task kernel k-means whose centers attract those of other tasks.

    Parameters
    ----------
    n_clusters : int >= 1, or a mapping task -> int
    relation_weight : float >= 0, lambda (paper: 0.1 to 1); 0 is kernel k-means of each task
    kernel : "gaussian" (8), or a function of tables (m, d) and (n, d) that returns a positive
        kernel (m, n)
    bandwidth : float > 0, h of (8) in units of X; None: the median distance of rows
    marginals : "size", shares of rows, or "uniform", the same for all clusters of a task
    local_loss : None: centers are always drawn (MKC); "partition" or "centroid": a task takes drawn
        centers only where this loss of its own rows is lower for it (S-MKC)
    init : "kmeans" labels of each task, or nearest of k rows drawn at "random"
    n_init : int >= 1, starts, of which the one with the lowest J is kept
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the nearest center of the task, as `predict` gives it
    bandwidth_ : the h that was used; None for a function
    cluster_relatedness_ : (task, other task) -> plan R (k, k_other), entries sum to 1; both orders
    shared_sweeps_ : (T,), sweeps in which a task took drawn centers, with `local_loss`
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep; with `local_loss` the
        mean of the tasks' own losses
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; a task has fewer rows than clusters; there are more
        rows than `MOST_ROWS`; a given kernel is not symmetric

    Warns
    -----
    SharingWarning : relations raise the squared error of a task's clusters by a twentieth or more

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [8.0], [9.0], [0.5], [1.5], [8.0]])
    >>> model = MKC(2, random_state=0).fit(X, tasks=list("aaaabbb"))
    >>> model.labels_, model.bandwidth_
    (array([0, 0, 1, 1, 0, 0, 1]), 6.5)
    >>> model.objective_trace_.round(3)
    array([0.087, 0.062, 0.062])
    >>> model.predict([[3.0]], tasks="b")
    array([0])
    """

    keeps = kept_rows.ROWS

    n_clusters: Any = 2
    relation_weight: float = 0.5
    kernel: Any = "gaussian"
    bandwidth: float | None = None
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
        if X.shape[0] > MOST_ROWS:
            raise InputError(
                f"X has {X.shape[0]} rows, and a kernel of all pairs would hold "
                f"{8e-9 * X.shape[0] ** 2:.1f} GB; give at most {MOST_ROWS} rows, or use MBC."
            )
        k = checks.clusters(self.n_clusters, found)
        random = checks.random(self.random_state)
        settings = Settings.of(self, random)  # draws the seeds before the bandwidth
        rows = np.concatenate(found.rows())
        tables = [X[own] for own in found.rows()]
        self._middle = middle_of(X)
        self._rows = X[rows] if callable(self.kernel) else shifted(X[rows], self._middle)
        K = self._kernel_of_rows(random)
        space = KernelRows(K, list(found.sizes), k)
        run = self._descend(space, tables, len(K), settings, found)
        self._weights = run.state.V.T
        self._squared_lengths = np.einsum("ic,ic->c", self._weights, K @ self._weights)
        return self._record(X, found, self._labels(tables, found), k, run)

    def _kernel_of_rows(self, random: np.random.RandomState) -> Matrix:
        """Compute the kernel matrix K (N, N) of all rows, and set its bandwidth."""
        self.bandwidth_: float | None = None
        if callable(self.kernel):
            K = operators.dense(self.kernel(self._rows, self._rows)).astype(float, copy=False)
            similarities.symmetric(K, self._rows.shape[0], "the kernel of the rows")  # or refuses
            return K
        checks.choice("kernel", self.kernel, ["gaussian"])
        Z = Features([self._rows])
        D = affinities.squared_distances(Z, Z)
        np.fill_diagonal(D, 0.0)  # but for rounding
        given = self.bandwidth
        self.bandwidth_ = (
            median(D, Z, random) if given is None else checks.above("bandwidth", given, 0)
        )
        D *= -0.5 / self.bandwidth_**2
        return np.exp(D, out=D)  # (8)

    def _similarity(self) -> similarities.KernelSimilarity:
        """Return the fitted kernel as a function of two tables."""
        if self.bandwidth_ is None:
            return similarities.KernelSimilarity(self.kernel)
        return similarities.gaussian(self.bandwidth_)

    def _shifted(self, X: Table) -> Table:
        """Bring rows to the form of those of the fit; less their mean for the Gaussian kernel."""
        X = operators.in_form_of(self._rows, X)
        return X if self.bandwidth_ is None else shifted(X, self._middle)

    def _assign(self, X: Table, t: int) -> Labels:
        own = self._own(t)
        KB = self._similarity().products(self._shifted(X), self._rows, self._weights[:, own])
        return (self._squared_lengths[own] - 2.0 * KB).argmin(axis=1)  # (7) less k(x, x)
