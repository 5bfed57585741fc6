"""EM for Gaussian mixtures of one or several tasks with one covariance for all clusters.

Rows x of task t have the density sum_j w_tj N(x; m_tj, S). EM lowers

    J = -sum_t sum_i log sum_j w_tj N(x_ti; m_tj, S) + n0/2 (log det S + tr(S^-1 L))       (1)

    R_tij = w_tj N(x_ti; m_tj, S) / sum_c w_tc N(x_ti; m_tc, S)                            (2)
    w_tj  = sum_i R_tij / n_t,    m_tj = sum_i R_tij x_ti / sum_i R_tij                    (3)
    S     = (n0 L + sum_t sum_ij R_tij (x_ti - m_tj)(x_ti - m_tj)') / (n0 + n)             (4)

The last term of (1) is an inverse Wishart prior, as of Fraley and Raftery: n0 rows of covariance L
that were not observed. With C the covariance of the rows less the means of their tasks,

    L  = k^(-2/d) ((1 - rho) C + rho diag(C)),    n0 = max(1, n rho / (1 - rho)).          (5)

k^(-2/d) divides the volume of all rows among k clusters. rho is the share that Ledoit and Wolf
shrink C by: it goes to 0 as rows are added, and is large where n < d. Shrinking S in each sweep
would have no objective; a prior that is fixed before the first sweep has one, and J never rises.

Symbols     X_t (n_t, d), n = sum n_t, R_t (n_t, k_t), S, L, C (d, d).
Units       J is the negative log-likelihood of columns with variance 1 within the tasks.
Limits      rho = 0: an affine map of the columns changes no membership, given those of the start;
            any rho: nor does another unit or zero of a column. rho -> 1: S is diagonal.
Source      Dempster, Laird, Rubin, JRSS B 39, 1977; Fraley, Raftery, J. Classification 24, 2007,
            section 3; Ledoit, Wolf, J. Multivariate Analysis 88, 2004.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from sklearn.covariance import ledoit_wolf_shrinkage

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.errors import InputError
from kinfolk.numerics import distances, memberships, mixed_mixtures, operators, starts

MOST_COLUMNS = 20_000
"""The most columns: a covariance matrix of them takes 3.2 GB, of a million 8 TB."""

MOST_SHRINKAGE = 0.9
"""The largest share of shrinking: the prior then has nine times the rows of the data."""
RIDGE = 1e-6
"""Least eigenvalue of the covariance of the prior, in variances of the columns."""

TOL = 1e-6
"""Smallest gain of the mean log-likelihood for which sweeps of known covariance go on."""
SMALLEST_SIZE = 1e-9
"""Rows of a cluster, so that means of empty clusters are numbers."""


class TaskMixtures(NamedTuple):
    """Weights (k_t,) and means (k_t, d) of each task's clusters, and one covariance (d, d)."""

    weights: list[Vector]
    centers: list[Matrix]
    covariance: Matrix


class WishartPrior(NamedTuple):
    """Inverse Wishart prior: covariance L (d, d), its weight in rows, and shrinkage share rho."""

    rows: float
    covariance: Matrix
    shrinkage: float


class Problem(NamedTuple):
    """Standardized rows (n_t, d) of each task, the means and deviations removed, and the prior.

    The deviations (d,) are those of all rows less the means of their tasks. In the span of the rows
    (`in_span`) tables and prior have r columns, and `basis` (r, d) has orthonormal rows; `outside`
    (d, d) is S in all other directions, which no sweep changes, and `rest` is the part of J there.
    """

    tables: list[Matrix]
    means: list[Vector]
    deviations: Vector
    prior: WishartPrior
    basis: Matrix | None = None
    outside: Matrix | None = None
    rest: float = 0.0

    @property
    def scale(self) -> float:
        """Size of the terms of the objective, as a scale for tolerances."""
        return float(sum(Z.size for Z in self.tables))


class State(NamedTuple):
    """A mixture, the memberships (n_t, k_t) of rows under it, and its objective."""

    mixture: TaskMixtures
    memberships: list[Matrix]
    loss: float


def problem(tables: Sequence[Table], k: Sequence[int], shrinkage: float | None) -> Problem:
    """Standardize the rows of the tasks, and choose the prior for k_t clusters each.

    shrinkage : rho; None: that of Ledoit and Wolf

    >>> found = problem([np.array([[0.0, 5.0], [4.0, 5.0]])], [2], 0.5)
    >>> found.tables[0].tolist(), found.prior.rows, found.prior.covariance.tolist()
    ([[-1.0, 0.0], [1.0, 0.0]], 2.0, [[0.5, 0.0], [0.0, 0.5]])
    """
    d = tables[0].shape[1]
    if d > MOST_COLUMNS:
        raise InputError(
            f"X has {d:,} columns, and a covariance matrix of more than {MOST_COLUMNS:,} does not "
            "fit into memory: reduce the columns, for example with sklearn.decomposition."
            "TruncatedSVD, or take a method that compares distances, such as MEC."
        )
    dense = [np.asarray(operators.dense(X), dtype=np.float64) for X in tables]
    means = [distances.center(X) for X in dense]
    centered = [X - mean for X, mean in zip(dense, means, strict=True)]
    together = np.vstack(centered)
    deviations = np.sqrt(np.mean(np.square(together), axis=0))
    # Of a constant column centering leaves rounding, which is no variance.
    size = np.max([abs(mean) for mean in means], axis=0)
    deviations = np.where(deviations > 1e-12 * size, deviations, 0.0)
    divisor = np.where(deviations > 0, deviations, 1.0)
    varies = (deviations > 0).astype(float)
    together = together / divisor * varies
    sizes = [len(X) for X in dense]
    Zs = np.split(together, np.cumsum(sizes)[:-1])
    return Problem(
        Zs, means, divisor, _prior(together, float(np.average(k, weights=sizes)), shrinkage)
    )


def in_span(p: Problem) -> Problem:
    """Rotate to the span of the rows where columns outnumber rows; an equivalent smaller problem.

    L maps the span into itself, by (5), so S does by (4); outside of it S stays n0 L / (n0 + n).
    So memberships are the same, J differs by a number, and steps cost r^3 <= n^3 and not d^3.

    >>> found = in_span(problem([np.array([[0.0, 1.0, 9.0], [4.0, 5.0, 9.0]])], [2], 0.5))
    >>> found.basis.round(2).tolist(), found.tables[0].round(2).tolist()
    ([[0.71, 0.71, 0.0]], [[-1.41], [1.41]])
    """
    Z = np.vstack(p.tables)
    n, d = Z.shape
    if d <= n:
        return p
    _, sizes, directions = np.linalg.svd(Z, full_matrices=False)
    # Directions that are rounding alone would get a variance of 0.
    V = directions[: max(1, np.count_nonzero(sizes > 1e-10 * sizes[0]))]
    # A singular vector has no sign of its own: the largest entry is made positive.
    V = V * np.sign(V[np.arange(len(V)), np.abs(V).argmax(axis=1)])[:, None]
    n0 = p.prior.rows
    L = p.prior.covariance
    inside = V @ L @ V.T
    free = d - len(V)
    log_det = np.linalg.slogdet(L)[1] - np.linalg.slogdet(inside)[1]
    log_det += free * np.log(n0 / (n0 + n))  # of S outside of the span
    rest = 0.5 * n * (free * np.log(2.0 * np.pi) + log_det)
    rest += 0.5 * n0 * (log_det + free * (n0 + n) / n0)  # the last term of (1) there
    return p._replace(
        tables=[Z_t @ V.T for Z_t in p.tables],
        prior=p.prior._replace(covariance=inside),
        basis=V,
        outside=n0 / (n0 + n) * (L - V.T @ inside @ V),
        rest=rest,
    )


def _prior(Z: Matrix, k: float, shrinkage: float | None) -> WishartPrior:
    """Build the prior for standardized rows Z (n, d) and k clusters by Ledoit-Wolf shrinkage."""
    n, d = Z.shape
    rho = (
        min(MOST_SHRINKAGE, ledoit_wolf_shrinkage(Z, assume_centered=True))
        if shrinkage is None
        else shrinkage
    )
    C = Z.T @ Z / n
    # The diagonal of C is 1, or 0 where a column is constant.
    L = (1.0 - rho) * C
    L[np.diag_indices(d)] = 1.0
    # No eigenvalue is below rho; without shrinking, columns may depend on each other.
    if rho < RIDGE and np.linalg.eigvalsh(L)[0] < RIDGE:
        L[np.diag_indices(d)] += RIDGE
    return WishartPrior(max(1.0, n * rho / (1.0 - rho)), L * k ** (-2.0 / d), float(rho))


def round_tables(p: Problem) -> list[Matrix]:
    """Rows (n_t, r) of the tasks, so that all of them together vary as much in all directions.

    >>> X = np.array([[0.0, 0.0], [8.0, 8.0], [0.0, 1.0], [8.0, 9.0]])
    >>> [table.std(axis=0).round(3).tolist() for table in round_tables(problem([X], [2], None))]
    [[1.0, 1.0]]
    """
    ends = np.cumsum([len(Z) for Z in p.tables])[:-1]
    return np.split(starts.round_rows(np.vstack(p.tables)), ends)


def start(p: Problem, labels: Sequence[Labels], k: Sequence[int]) -> State:
    """First state: the mixture fitted to these hard labels, and its memberships."""
    hard = [memberships.indicator(found, k_t) for found, k_t in zip(labels, k, strict=True)]
    return _renewed(p, hard)


def sweep(p: Problem, s: State) -> State:
    """One EM step: update weights, means and covariance, then the memberships."""
    return _renewed(p, s.memberships, s.mixture.centers)


def _renewed(p: Problem, R: list[Matrix], before: list[Matrix] | None = None) -> State:
    """Fit the mixture to memberships R, then compute the new memberships and the objective."""
    mixture = fitted(p, R, before)
    G = cholesky(mixture.covariance, lower=True)  # once for all tasks
    logs = [
        _log_densities(Z, w, M, G)
        for Z, w, M in zip(p.tables, mixture.weights, mixture.centers, strict=True)
    ]
    totals = [np.logaddexp.reduce(log, axis=1) for log in logs]  # SciPy's takes 7 times as long
    new = [np.exp(log - total[:, None]) for log, total in zip(logs, totals, strict=True)]
    loss = p.rest - sum(map(np.sum, totals)) + _penalty(p.prior, G)  # (1)
    return State(mixture, new, float(loss))


def fitted(p: Problem, R: list[Matrix], before: list[Matrix] | None = None) -> TaskMixtures:
    """M step: mixture for memberships R; an empty cluster keeps its center `before`, or the mean.

    >>> p = problem([np.array([[0.0], [2.0], [4.0]])], [2], 0.0)
    >>> fitted(p, [np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])]).centers[0].round(2).tolist()
    [[-0.61], [1.22]]
    """
    S = p.prior.rows * p.prior.covariance
    weights = []
    centers = []
    for t, (Z, R_t) in enumerate(zip(p.tables, R, strict=True)):
        sizes = R_t.sum(axis=0)
        M = np.zeros((R_t.shape[1], Z.shape[1])) if before is None else before[t].copy()
        there = sizes > 0
        M[there] = (R_t.T @ Z)[there] / sizes[there, None]  # (3)
        S = S + Z.T @ Z - (M.T * sizes) @ M
        weights.append(sizes / len(Z))
        centers.append(M)
    n = sum(map(len, p.tables))
    return TaskMixtures(weights, centers, S / (p.prior.rows + n))  # (4)


def with_unit_covariance(W: Matrix, labels: Labels, k: int) -> tuple[Matrix, float]:
    """Fit weights and means of k clusters of covariance I to rows W (n, d), such as whitened ones.

    Parameters
    ----------
    labels : (n,) from 0 to k - 1, the clusters to start from

    Returns
    -------
    R : (n, k) memberships
    L : log-likelihood of the rows

    Examples
    --------
    >>> W = np.array([[0.0], [1.0], [9.0], [10.0]])
    >>> R, L = with_unit_covariance(W, np.array([0, 1, 1, 1]), 2)
    >>> R.argmax(axis=1), round(L, 3)
    (array([0, 0, 1, 1]), -6.948)
    """
    I = np.eye(W.shape[1])

    def make_sweeps(R: Matrix) -> Iterator[tuple[Vector, Matrix]]:
        for _ in range(mixed_mixtures.MOST_SWEEPS):
            sizes = R.sum(axis=0)
            M = R.T @ W / np.maximum(sizes, SMALLEST_SIZE)[:, None]  # (3)
            logs = _log_densities(W, sizes / len(W), M, I)
            totals = np.logaddexp.reduce(logs, axis=1)
            R = np.exp(logs - totals[:, None])  # (2)
            yield totals, R

    L, R = mixed_mixtures.until_level(make_sweeps(memberships.indicator(labels, k)), TOL)
    return R, L


def whitened(X: Matrix, S: Matrix) -> Matrix:
    """Scale and rotate rows X (n, d) so that covariance S (d, d) becomes I.

    >>> whitened(np.array([[2.0, 3.0]]), np.diag([4.0, 1.0])).tolist()
    [[1.0, 3.0]]
    """
    return np.asarray(solve_triangular(cholesky(S, lower=True), X.T, lower=True).T)


def log_densities(X: Matrix, w: Vector, M: Matrix, S: Matrix) -> Matrix:
    """log(w_j N(x_i; m_j, S)) (n, k) for rows X (n, d) and centers M (k, d).

    >>> log_densities(np.array([[3.0]]), np.ones(1), np.array([[1.0]]), np.array([[4.0]])).round(4)
    array([[-2.1121]])
    """
    return _log_densities(X, w, M, cholesky(S, lower=True))


def _log_densities(X: Matrix, w: Vector, M: Matrix, G: Matrix) -> Matrix:
    """Log of weighted normal densities (n, k), given the Cholesky factor G (d, d) of S."""
    d = X.shape[1]
    together = np.vstack([X, M]) - M.mean(axis=0)
    white = solve_triangular(G, together.T, lower=True, check_finite=False).T
    volume = 2.0 * np.sum(np.log(np.diag(G))) + d * np.log(2.0 * np.pi)
    with np.errstate(divide="ignore"):  # a cluster without rows has density 0 everywhere
        logs = np.log(w)
    return logs - 0.5 * (distances.squared(white[: len(X)], white[len(X) :]) + volume)


def _penalty(prior: WishartPrior, G: Matrix) -> float:
    """Negative log prior of the covariance G G' (d, d), the last term of the objective."""
    half = solve_triangular(G, prior.covariance, lower=True, check_finite=False)
    trace = np.trace(solve_triangular(G, half.T, lower=True, check_finite=False))
    return float(0.5 * prior.rows * (2.0 * np.sum(np.log(np.diag(G))) + trace))


def unstandardized(p: Problem, mixture: TaskMixtures) -> TaskMixtures:
    """Convert a mixture of standardized rows back to the original units and means."""
    found = mixture.centers
    S = mixture.covariance
    if p.basis is not None and p.outside is not None:
        found = [M @ p.basis for M in found]
        S = p.basis.T @ S @ p.basis + p.outside
    pairs = zip(p.means, found, strict=True)
    centers: list[Matrix] = [mean + M * p.deviations for mean, M in pairs]
    S = S * np.outer(p.deviations, p.deviations)
    return TaskMixtures(mixture.weights, centers, S)


def memberships_of(X: Table, w: Vector, M: Matrix, S: Matrix) -> Matrix:
    """Posterior probabilities (n, k) of the clusters for rows X (n, d).

    >>> M = np.array([[0.0], [2.0]])
    >>> memberships_of(np.array([[0.0], [1.0]]), np.ones(2) / 2, M, np.eye(1)).round(4)
    array([[0.8808, 0.1192],
           [0.5   , 0.5   ]])
    """
    rows = np.asarray(operators.dense(X), dtype=np.float64)
    logs = log_densities(rows, w, np.asarray(M, dtype=np.float64), S)
    return np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
