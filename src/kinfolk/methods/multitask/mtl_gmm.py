"""Gaussian mixtures of several tasks, robust to outlier tasks (MTL-GMM).

Each task has a mixture of its own, with one covariance for its clusters. Weights, centers and
discriminants of all tasks are drawn to common centers by norms that are not squared: tasks alike
share one estimate, and an outlier task is left to itself and moves the others little.

1. A mixture of each task by itself (`numerics/gaussian_mixtures`), from k-means.
2. Clusters numbered alike in all tasks (`numerics/cluster_alignment`).
3. Sweeps of penalized EM (`numerics/drawn_mixtures`, equations (1)-(6)), until no parameter moves.

Symbols     X_t (n_t, d), w_t (k,), m_t (k, d), b_t (k, d), lambda the penalty.
Units       columns are divided by their standard deviations within the clusters of a task, the
            median over tasks, so units matter for the k-means starts only.
Limits      penalty = 0: EM of each task by itself goes on. A large penalty: one mixture for all
            tasks but for their covariances. There is no objective: lambda changes, and b and S are
            estimated apart, so what is traced is the change of the parameters.
Source      Tian, Weng, Xia, Feng, Robust unsupervised multi-task and transfer learning on Gaussian
            mixture models, arXiv 2209.15224. Penalties, their square roots of n_t, the three groups
            of parameters, the parametrization by b and the two alignments are as their R
            package mtlgmm 0.1.0 has them, for two clusters.
Departures  1. The text of the paper was not at hand. More than two clusters, each with its b
            against the first and all weights in one norm, and the schedule (6) with one lambda in
            place of three coupled ones, are derived here. The package adds C max(n_t) to the first
            lambda; sqrt(max n_t) has the units of the other term.
            2. Exact steps in place of proximal gradient steps; the minima are the same.
            3. S_t has the prior of `numerics/gaussian_mixtures`: b needs its inverse, which n < d
            would not have.
            4. `centered` tasks: tasks that are shifted as a whole share centers as well.
            5. The package chooses C by cross-validation of the likelihood; here it is given. On
            made tasks of 40 rows one of noise among five moved the others at 0.2, not at 0.1.
Beyond      a new row goes to the most probable cluster of its task.
"""

from typing import Any, Self

import numpy as np
from scipy.special import softmax

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.errors import InputError
from kinfolk.estimators import checks, kept_rows, warn
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.estimators.descent import Settings
from kinfolk.estimators.parameterized import parameterized
from kinfolk.numerics import cluster_alignment, drawn_mixtures, gaussian_mixtures, operators, starts
from kinfolk.numerics.drawn_mixtures import Schedule, StandardizedTasks, State
from kinfolk.numerics.gaussian_mixtures import Problem, TaskMixtures, WishartPrior

MOST_COLUMNS = 2_000
"""The most columns: each sweep decomposes a matrix per task, which takes 4 s with 2,500."""

ALIGNMENTS = ("auto", "exhaustive", "greedy")


@parameterized
class MTLGMM(MultiTaskClusterer):
    """Gaussian mixtures of several tasks with parameters shrunk to common ones, robust to outliers.

    Parameters
    ----------
    n_clusters : int >= 1, the number k of clusters, the same in every task
    penalty : float >= 0, C, how strongly tasks are drawn together; 0: not at all (package: 0.2,
        or by cross-validation)
    kappa : float in [0, 1), how slowly the penalty falls to its last value (package: 1/3)
    alignment : "exhaustive", "greedy", or "auto": exhaustive where there are few permutations
    centered : bool, True if tasks may be shifted as a whole; False: as published
    covariance_shrinkage : float in [0, 1), rho, how far covariances are drawn to diagonal ones;
        "auto": by the rule of Ledoit and Wolf, for each task
    n_init : int >= 1, k-means starts in each task; its run with the highest likelihood is kept
    max_iter : int >= 1, the most sweeps, of each task by itself and then of all
    tol : float >= 0, stop when no parameter moves by more than this, in standard deviations
    random_state : int, RandomState or None, for the starts

    Attributes
    ----------
    labels_ : (n,), the most probable cluster of each row; numbers mean the same in all tasks
    memberships_ : list of T arrays (n_t, k), probabilities, in the row order of each task
    weights_ : (T, k), shares of the clusters
    cluster_centers_ : (T, k, d), their means
    coef_ : (T, k, d), b: S_t^-1 (m_tr - m_t1), in units of 1/X
    task_distances_ : (T,), root mean square distance of the centers of a task from the common ones,
        in standard deviations within clusters; 0: it shares them exactly
    parameter_changes_ : (n_iter_,), the largest change of a parameter in each sweep
    n_iter_, converged_ : sweeps of all tasks, and True if no parameter moved any more
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; tasks with different numbers of clusters; more than
        2,000 columns

    Examples
    --------
    >>> random = np.random.default_rng(0)
    >>> truth = np.arange(60) % 2
    >>> X = random.normal(size=(60, 2)) + 5 * truth[:, None]
    >>> X[40:] = random.uniform(-9, 9, size=(20, 2))  # the third task has no clusters
    >>> model = MTLGMM(random_state=0).fit(X, tasks=np.repeat(["a", "b", "odd"], 20))
    >>> model.labels_[:6], model.labels_[20:26], model.task_distances_.round(1)
    (array([0, 1, 0, 1, 0, 1]), array([0, 1, 0, 1, 0, 1]), array([0. , 0. , 4.3]))
    """

    compares = "distances"  # those of the k-means starts
    keeps = kept_rows.MEMBERSHIPS
    of_rows = ("memberships_",)

    n_clusters: Any = 2
    penalty: float = 0.1
    kappa: float = 1 / 3
    alignment: str = "auto"
    centered: bool = True
    covariance_shrinkage: float | str = "auto"
    n_init: int = 10
    max_iter: int = 300
    tol: float = 1e-5
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None, tasks: Any = None) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each."""
        X, found = self._open(X, tasks)
        k = checks.one_number_of_clusters(self.n_clusters, found, "MTLGMM")
        constant = checks.not_negative("penalty", self.penalty)
        kappa = checks.number("kappa", self.kappa, 0.0, 1.0, open_low=False)
        how = checks.choice("alignment", self.alignment, ALIGNMENTS)
        settings = Settings.of(self)
        _check_columns(X.shape[1])
        tables = [X[rows] for rows in found.rows()]
        each = [self._alone(X_t, k, settings) for X_t in tables]
        shared = gaussian_mixtures.problem(tables, [k] * len(tables), 0.0)
        shared = shared._replace(deviations=_deviations(each))
        rows = self._rows(tables, shared, [p for p, _ in each])
        mixtures = [_moved(m, shared, self._mean(shared, t)) for t, (_, m) in enumerate(each)]
        schedule = Schedule.of(rows.tables, constant, kappa)
        s = self._swept(rows, _first(mixtures, schedule, how), schedule)
        self._set_parameters(shared, s, X.dtype)
        self.memberships_ = [self._memberships(X_t, t) for t, X_t in enumerate(tables)]
        each_labels = [R.argmax(axis=1) for R in self.memberships_]
        warn.of_deciding_column(self, tables, each_labels, found.names)
        return self._record(X, found, found.merged(each_labels), [k] * len(tables))

    def _alone(self, X: Table, k: int, settings: Settings) -> tuple[Problem, TaskMixtures]:
        """Fit a Gaussian mixture to one task; return its problem, and the mixture in units of X."""
        shrinkage = checks.covariance_shrinkage(self.covariance_shrinkage)
        whole = gaussian_mixtures.problem([X], [k], shrinkage)
        p = gaussian_mixtures.in_span(whole)
        run = settings.best(
            start=lambda seed: gaussian_mixtures.start(p, [starts.kmeans(X, k, seed)], [k]),
            sweep=lambda s: gaussian_mixtures.sweep(p, s),
            objective=lambda s: s.loss,
            scale=p.scale,
            what="Gaussian mixtures",
        )
        return whole, gaussian_mixtures.unstandardized(p, run.state.mixture)

    def _mean(self, shared: Problem, t: int) -> Any:
        """Mean to subtract from a task's rows: its own, or the mean of all tasks' means."""
        return shared.means[t] if self.centered else np.mean(shared.means, axis=0)

    def _rows(self, tables: list[Table], shared: Problem, own: list[Problem]) -> StandardizedTasks:
        """Standardize the rows of the tasks in common units, with covariance priors."""
        made = []
        priors = []
        for t, (X, p) in enumerate(zip(tables, own, strict=True)):
            made.append((operators.dense(X) - self._mean(shared, t)) / shared.deviations)
            ratio = p.deviations / shared.deviations
            covariance = p.prior.covariance * np.outer(ratio, ratio)
            priors.append(WishartPrior(p.prior.rows, covariance, p.prior.shrinkage))
        return StandardizedTasks(made, priors)

    def _swept(self, rows: StandardizedTasks, s: State, schedule: Schedule) -> State:
        """Repeat EM sweeps until parameters and penalty settle; sets `n_iter_` and `converged_`."""
        changes = []
        for _ in range(self.max_iter):
            before = s
            s = drawn_mixtures.sweep(rows, s, schedule)
            changes.append(s.tasks.change(before.tasks))
            settled = max(changes[-1], abs(s.penalty - before.penalty)) <= self.tol
            if settled:
                break
        self.parameter_changes_ = np.array(changes)
        self.n_iter_ = len(changes)
        self.converged_ = bool(settled)
        warn.unless_converged(self)
        return s

    def _set_parameters(self, shared: Problem, s: State, dtype: Any) -> None:
        """Set the fitted parameters, in the units of the columns."""
        zeros = np.array([self._mean(shared, t) for t in range(len(shared.tables))])
        self.weights_ = s.tasks.weights
        self.coef_ = s.tasks.coef / shared.deviations
        centers = s.tasks.centers * shared.deviations + zeros[:, None]
        self.cluster_centers_ = centers.astype(dtype, copy=False)
        apart = np.square(s.tasks.centers - s.common.centers).sum(axis=2)
        self.task_distances_ = np.sqrt(apart.mean(axis=1))
        middles = (s.tasks.centers + s.tasks.centers[:, :1]) / 2
        with np.errstate(divide="ignore"):
            logs = np.log(s.tasks.weights)
        floor = np.log(np.finfo(float).tiny)  # of a cluster without rows: finite, to be stored
        self._zeros = zeros
        self._intercepts = np.maximum(logs, floor) - np.sum(s.tasks.coef * middles, axis=2)

    def _assign(self, X: Table, t: int) -> Labels:
        return self._memberships(X, t).argmax(axis=1)

    def _memberships(self, X: Table, t: int) -> Matrix:
        """Cluster probabilities (n, k) of rows X (n, d) of the task at position t."""
        rows = operators.dense(X).astype(np.float64) - self._zeros[t]
        return softmax(rows @ self.coef_[t].T + self._intercepts[t], axis=1)


def _check_columns(d: int) -> None:
    """InputError if a fit to d columns could take hours."""
    if d > MOST_COLUMNS:
        raise InputError(
            f"X has {d:,} columns, and MTL-GMM decomposes a covariance matrix of each task in "
            f"every sweep, which can take hours with more than {MOST_COLUMNS:,}: reduce the "
            "columns, for example with sklearn.decomposition.TruncatedSVD, or take "
            "SharedCovarianceMixture, which works in the span of the rows."
        )


def _deviations(each: list[tuple[Problem, TaskMixtures]]) -> Vector:
    """Within-cluster standard deviation (d,) of each column, the median over tasks.

    An outlier task may have very large ones, which would make the others look alike.
    """
    own = [np.sqrt(np.diag(mixture.covariance)) for _, mixture in each]
    return np.asarray(np.median(own, axis=0))


def _moved(mixture: TaskMixtures, shared: Problem, zero: Any) -> TaskMixtures:
    """Convert a task's mixture to common units, with centers relative to `zero` (d,)."""
    weights, centers, covariance = mixture
    d = shared.deviations
    return TaskMixtures(weights, [(centers[0] - zero) / d], covariance / np.outer(d, d))


def _first(mixtures: list[TaskMixtures], schedule: Schedule, how: str) -> State:
    """First state: clusters aligned across tasks, the largest first."""
    centers = np.array([m.centers[0] for m in mixtures])
    weights = np.array([m.weights[0] for m in mixtures])
    orders = cluster_alignment.aligned(centers, how)
    centers = np.take_along_axis(centers, orders[:, :, None], axis=1)
    weights = np.take_along_axis(weights, orders, axis=1)
    # Clusters are compared with the first one, which may not depend on the order of tasks.
    largest = np.argsort(-weights.mean(axis=0), kind="stable")
    centers = centers[:, largest]
    weights = weights[:, largest]
    covariances = np.array([m.covariance for m in mixtures])
    return drawn_mixtures.start(weights, centers, covariances, schedule.first)
