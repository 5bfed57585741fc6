"""Multitask spectral clustering (MTSC): spectral embeddings that are regressions on shared columns.

Each task has a spectral embedding F_t of its rows, and a linear regression that gives it from the
columns; all regressions use the same few columns. Minimize

    J = sum_t ( tr(F_t'L_t F_t) + alpha |X_t W_t + 1 b_t' - F_t|^2 )
      + beta sum_i (|w^i|^2 + e)^(p/2),    F_t'F_t = I                                 (1)

with w^i row i of [W_1, W_2, ...] and L_t = I - S_t, S_t a similarity of rows divided by the roots
of its row sums. Each sweep minimizes an upper bound of J that is equal at the present W
(`joint_row_sparsity`), exactly and in all F_t, W_t, b_t together, so that J never rises:

    D_i = p/2 (|w^i|^2 + e)^(p/2 - 1)                                                  (2)
    F_t = the k_t leading eigenvectors of S_t + alpha (11'/n_t + K_t)                  (3)
          K_t = HX (X'HX + (beta/alpha) D)^-1 X'H
    W_t = (X'HX + (beta/alpha) D)^-1 X'H F_t,   b_t = mean of the rows of F_t - X_t W_t    (4)

from the leading eigenvectors of S_t and (4) with D = 1. Rows of F_t, at unit length, are clustered
by k-means.

(3) is L_t + alpha (H - K_t) of the bound after (4), up to sign and a constant: with W_t and b_t at
their best, alpha |..|^2 + beta sum_i D_i |w^i|^2 is alpha tr(F_t'(H - K_t) F_t), H = I - 11'/n_t.

Symbols     X_t (n_t, d), F_t (n_t, k_t), W_t (d, k_t), b_t (k_t,), alpha = regression_weight,
            beta = shrinkage, p = norm_power, H (n_t, n_t) the centering.
Units       J and alpha have none; beta is in units of X to the power p: rows should be about unit
            length. e is a small share of the size of W (`SMOOTHING`).
Exact       S_t is sparse, or cosines as products Z Z'; K_t by Cholesky factors of the smaller of
            (n_t, n_t) and (d, d).
Limits      p = 2: each task by itself. beta -> infinity: W = 0, and F_t are eigenvectors of
            S_t + alpha 11'/n_t. alpha -> 0: spectral clustering of each task by itself.
Source      Yang, Ma, Yang, Nie, Shen (2015), IEEE Transactions on Cybernetics 45(5). Published, by
            abstract and citing papers: a spectral clustering and a linear regression per task, the
            l_{2,p} norm of all parameters together, alpha and beta in 1/4 ... 4.
Departures  **a reconstruction**: the formula (1) as a whole, the graph, the smoothing e and the
            default p = 1 are ours, and (2)-(4) are derived from (1).
Beyond      a new row x of task t lies at x'W_t + b_t, and goes to the nearest center. A row equal
            to one of the fit has its label, whose place is that of F_t.
"""

from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence

from kinfolk.arrays import Labels, Matrix, MatrixLike, Seed, Table, Vector
from kinfolk.errors import InputError
from kinfolk.estimators import (
    checks,
    correspondence,
    dear_sharing,
    embedded,
    kept_rows,
    warn,
)
from kinfolk.estimators.base import MultiTaskClusterer
from kinfolk.estimators.descent import Run, Settings, alternate
from kinfolk.estimators.parameterized import parameterized
from kinfolk.numerics import (
    distances,
    extreme_eigenvectors,
    graphs,
    joint_row_sparsity,
    lanczos,
    memo,
    operators,
    spectra,
)
from kinfolk.numerics.joint_row_sparsity import CenteredTable, ColumnRidge

DENSE = 400
"""Most rows of a task whose eigenvectors are found in a dense matrix."""

AFFINITIES = ("neighbors", "cosine")
"""Names of `affinity`: a sparse graph with 1 for nearest rows, or the cosines of all rows."""


class Similarity(NamedTuple):
    """Row similarity S (n, n), sparse or as the product Z Z', and its unnormalized links."""

    links: sp.csr_array
    S: sp.csr_array
    Z: Table | None = None

    def times(self, V: Matrix) -> Matrix:
        """Product S V (n, k) with V (n, k)."""
        if self.Z is not None:
            return operators.times(self.Z, operators.crossed(self.Z, V))
        return np.asarray(self.S @ V)

    def vectors(self, k: int) -> Matrix:
        """The k leading eigenvectors (n, k) of the similarity."""
        if self.Z is not None:
            return leading(self.Z.shape[0], k, self.times)
        # Parts without links between them have equal eigenvalues, which `spectra` tells apart.
        return spectra.leading(self.links, k)[1]


class Weights(NamedTuple):
    """Parameters of the objective: regression weight, shrinkage and norm power p."""

    alpha: float
    beta: float
    p: float


class SpectralTask(NamedTuple):
    """Embedding F (n, k), regression weights W (d, k) and fitted values (n, k) of a task."""

    F: Matrix
    W: Matrix
    fitted: Matrix


class Problem(NamedTuple):
    """Constants: centered tables, similarities, numbers of clusters, weights, smoothing e."""

    tables: list[CenteredTable]
    S: list[Similarity]
    k: list[int]
    weights: Weights
    e: float


def cosines(X: Table) -> Similarity:
    """Cosines of rows X (n, d), or (1 + cosine)/2 if an entry of X is negative, normalized.

    >>> S = cosines(np.array([[2.0, 0.0], [3.0, 0.0], [0.0, 1.0]]))
    >>> S.times(np.eye(3)).round(3)
    array([[0.5, 0.5, 0. ],
           [0.5, 0.5, 0. ],
           [0. , 0. , 1. ]])
    """
    Z = distances.unit_rows(X)
    if X.min() < 0:
        wide = [operators.dense(Z), np.ones((X.shape[0], 1))]
        Z = np.hstack(wide) / np.sqrt(2)
    sums = operators.times(Z, operators.sums(Z))
    scale = distances.inverse_lengths(np.maximum(sums, 0.0))
    empty = sp.csr_array((X.shape[0], X.shape[0]))
    return Similarity(empty, empty, distances.rows_times(Z, scale))


def neighbors(X: Table, l: int) -> Similarity:
    """Normalized k-nearest-neighbor graph of rows X (n, d): 1 if either is near the other.

    Divided by the roots of the degrees of both rows.
    """
    links = graphs.heat_graph(X, l, np.inf).S
    return Similarity(links, spectra.normalized(links))


def leading(n: int, k: int, times: Any) -> Matrix:
    """The k leading eigenvectors (n, k) of a symmetric matrix (n, n) known by its products."""
    if n > max(DENSE, 3 * k):
        try:
            found = lanczos.largest(lambda x: times(x.reshape(n, -1)).reshape(x.shape), n, k)
            return found[1][:, ::-1]
        except ArpackNoConvergence:  # eigenvalues lie too close together for Lanczos steps
            pass
    M = times(np.eye(n))
    return extreme_eigenvectors.largest((M + M.T) / 2, k)[1]


def embedded_task(p: Problem, t: int, D: Vector) -> SpectralTask:
    """Update one task's embedding, then its regression on the columns."""
    alpha = p.weights.alpha
    regression = ColumnRidge(p.tables[t], D, p.weights.beta / alpha)

    def times(V: Matrix) -> Matrix:
        return p.S[t].times(V) + alpha * (V.mean(axis=0) + regression.fitted(V))

    F = leading(p.tables[t].X.shape[0], p.k[t], times)  # (3)
    return SpectralTask(F, regression.coefficients(F), regression.fitted(F))  # (4)


def sweep(p: Problem, state: tuple[SpectralTask, ...]) -> tuple[SpectralTask, ...]:
    """Update the column weights, then each task's embedding and regression."""
    D = joint_row_sparsity.row_weights([s.W for s in state], p.weights.p, p.e)  # (2)
    return tuple(embedded_task(p, t, D) for t in range(len(p.k)))


def objective(p: Problem, state: tuple[SpectralTask, ...]) -> float:
    """Graph cuts and regression errors of all tasks, plus the row-sparsity penalty on weights."""
    J = p.weights.beta * joint_row_sparsity.penalty([s.W for s in state], p.weights.p, p.e)
    for S, s in zip(p.S, state, strict=True):
        J += s.F.shape[1] - float(np.sum(s.F * S.times(s.F)))
        residual = s.fitted - (s.F - s.F.mean(axis=0))
        J += p.weights.alpha * float(np.sum(np.square(residual)))
    return J


def start(p: Problem) -> tuple[SpectralTask, ...]:
    """First state: leading eigenvectors of each similarity and plain ridge regressions."""
    found = []
    for H, S, k in zip(p.tables, p.S, p.k, strict=True):
        F = S.vectors(k)
        regression = ColumnRidge(H, np.ones(H.X.shape[1]), p.weights.beta / p.weights.alpha)
        found.append(SpectralTask(F, regression.coefficients(F), regression.fitted(F)))
    return tuple(found)


@memo.remembered
def descend(
    tables: list[Table], l: list[int], k: list[int], weights: Weights, max_iter: int, tol: float
) -> Run[tuple[SpectralTask, ...]]:
    """Minimize the objective for these tables; l[t] links per row, 0 for cosines."""
    S = [neighbors(X, links) if links else cosines(X) for X, links in zip(tables, l, strict=True)]
    centered = [CenteredTable(X) for X in tables]
    p = Problem(centered, S, k, weights, joint_row_sparsity.smoothing(centered, sum(k)))
    return alternate(
        start(p),
        sweep=lambda s: sweep(p, s),
        objective=lambda s: objective(p, s),
        max_iter=max_iter,
        tol=tol,
        scale=sum(k) * (1 + weights.alpha),
    )


@parameterized
class MTSC(MultiTaskClusterer):
    """Spectral clustering of several tasks with embeddings that regress on the same columns.

    Parameters
    ----------
    n_clusters : int >= 1, or a mapping task -> int
    regression_weight : float > 0, alpha, of the regressions beside the graphs (citing paper: 1/4
        to 4)
    shrinkage : float > 0, beta, of the size of W, in units of X to the power p (citing paper: 1/4
        to 4)
    norm_power : float in (0, 2], p; the smaller, the fewer columns all tasks use; 2: each task by
        itself
    affinity : "neighbors": 1 for nearest rows; "cosine": cosines of all rows
    n_neighbors : int >= 1, l, the nearest rows that a row is linked to; None: half the mean cluster
        size, n_t/(2 k_t), from 3 to 50
    n_init : int >= 1, k-means starts, of which each task keeps the one with the least inertia
    max_iter : int >= 1, the most sweeps
    tol : float >= 0, stop when J is expected to fall by at most this share of itself
    random_state : int, RandomState or None, for k-means

    Attributes
    ----------
    labels_ : (n,), the cluster of each row, from 0 in each task
    embeddings_ : list of T arrays F (n_t, k_t) with orthonormal columns, in the row order of each
        task
    coef_ : list of T arrays W (d, k_t), in units of 1/X
    intercepts_ : list of T arrays b (k_t,)
    column_weights_ : (d,), lengths |w^i| of the rows of all W together: the columns that tasks use
    objective_trace_ : (n_iter_ + 1,), J at the start and after each sweep
    and all of `MultiTaskClusterer`

    Raises
    ------
    InputError : a parameter is out of range; a task has fewer rows than clusters, or only one

    Warns
    -----
    SharingWarning : the share of links to near rows that lead out of a task's clusters is more than
        .05 larger than with norm_power=2

    Examples
    --------
    >>> X = np.eye(4)[[0, 0, 1, 1, 2, 2, 1, 1, 0, 0]] + 0.1 * np.eye(10, 4)
    >>> tasks = ["a"] * 6 + ["b"] * 4
    >>> model = MTSC({"a": 3, "b": 2}, random_state=0).fit(X, tasks=tasks)
    >>> model.labels_
    array([0, 0, 1, 1, 2, 2, 0, 0, 1, 1])
    >>> model.column_weights_.round(2)
    array([0.59, 0.56, 0.14, 0.  ])
    >>> model.predict([[0.0, 0.0, 0.9, 0.0]], tasks="a")
    array([2])
    """

    keeps = kept_rows.MEMBERSHIPS
    of_rows = ("embeddings_",)

    n_clusters: Any = 2
    regression_weight: float = 1.0
    shrinkage: float = 1.0
    norm_power: float = 1.0
    affinity: str = "neighbors"
    n_neighbors: int | None = None
    n_init: int = 10
    max_iter: int = 1000
    tol: float = 1e-5
    random_state: Seed = None

    def fit(self, X: MatrixLike, y: None = None, tasks: Any = None) -> Self:
        """Cluster the rows of X (n, d), where tasks (n,) names the task of each."""
        X, found = self._open(X, tasks)
        warn.unless_unit_length(X, "shrinkage")
        k = checks.clusters(self.n_clusters, found)
        weights = Weights(
            checks.above("regression_weight", self.regression_weight, 0),
            checks.above("shrinkage", self.shrinkage, 0),
            self._power(),
        )
        settings = Settings.of(self)
        name = checks.choice("affinity", self.affinity, AFFINITIES)
        l = [self._links(n, c) for n, c in zip(found.sizes, k, strict=True)]
        tables = [X[rows].astype(np.float64) for rows in found.rows()]
        links = l if name == "neighbors" else [0] * len(l)
        stop = (settings.max_iter, settings.tol)
        run = descend(tables, links, k, weights, *stop)
        self._keep(tables, run.state)
        seeds = (settings.seeds[0], len(settings.seeds))
        self._clusters = embedded.cluster(tables, self.embeddings_, k, *seeds)
        own_labels = [own.labels for own in self._clusters]
        if weights.p < 2 and len(k) > 1 and not correspondence.is_skipped():
            alone = descend(tables, links, k, weights._replace(p=2.0), *stop).state
            clusters = embedded.cluster(tables, [s.F for s in alone], k, *seeds)
            dear_sharing.of_cuts(
                found.names,
                [neighbors(rows, near).links for rows, near in zip(tables, l, strict=True)],
                own_labels,
                k,
                seeds[0],
                f"Raise norm_power (now {weights.p:g}; 2 shares nothing)",
                without=[own.labels for own in clusters],
                cause="the columns that all tasks share do not tell its clusters",
            )
        return self._record(X, found, found.merged(own_labels), k, run)

    def _power(self) -> float:
        """Return the parameter `norm_power`, checked."""
        p = checks.above("norm_power", self.norm_power, 0)
        if p > 2:
            raise InputError(f"norm_power is {p:g}; give a number above 0, and 2 at most.")
        return p

    def _links(self, n: int, k: int) -> int:
        """Number of neighbors that a row is linked to, in a task of n rows and k clusters."""
        if self.n_neighbors is None:
            return min(embedded.links_per_row(n, k), n - 1)
        return min(checks.at_least("n_neighbors", self.n_neighbors, 1), n - 1)

    def _keep(self, tables: list[Table], state: tuple[SpectralTask, ...]) -> None:
        """Set the fitted embeddings and regressions."""
        self.embeddings_ = [s.F for s in state]
        self.coef_ = [s.W for s in state]
        self.intercepts_ = [
            s.F.mean(axis=0) - operators.mean(X) @ s.W for X, s in zip(tables, state, strict=True)
        ]
        self.column_weights_ = np.sqrt(
            np.add.reduce([np.square(W).sum(axis=1) for W in self.coef_])
        )

    def _assign(self, X: Table, t: int) -> Labels:
        def place(rows: Table) -> Matrix:
            return operators.times(rows, self.coef_[t]) + self.intercepts_[t]

        return self._clusters[t].assign(X.astype(np.float64), place)
