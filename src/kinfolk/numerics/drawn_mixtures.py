"""EM for Gaussian mixtures of several tasks with parameters shrunk to common centers (MTL-GMM).

Task t has weights w_t (k,), centers m_tr and one covariance S_t, and b_tr = S_t^-1 (m_tr - m_t1).
A sweep, with lambda of this sweep and the distances to common centers of `common_centers`:

    R_tir = w_tr exp(b_tr'(x_ti - (m_t1 + m_tr)/2)) / sum_c (the same of c)                (1)
    w     : min sum_t n_t/2 |w_t - mean_i R_ti|^2      + sqrt(n_t) lambda_w |w_t - w|       (2)
    m_r   : min sum_t sum_i R_tir/2 |x_ti - m_tr|^2    + sqrt(n_t) lambda |m_tr - m_r|      (3)
    S_t   = (n0 L_t + sum_ir R_tir (x_ti - m_tr)(x_ti - m_tr)') / (n0 + n_t)                (4)
    b_r   : min sum_t n_t (b_tr'S_t b_tr/2 - b_tr'(m_tr - m_t1))
                                                       + sqrt(n_t) lambda |b_tr - b_r|      (5)
    lambda <- kappa lambda + C sqrt(d + log T)                                             (6)

each min over the parameters of all tasks and their common center. lambda falls from its first value
to C sqrt(d + log T) / (1 - kappa): sweeps begin with tasks close together.

Symbols     X_t (n_t, d) in standard deviations of all rows, T tasks, k clusters.
Limits      C = 0 and lambda = 0: (2)-(5) are EM of each task by itself, (1) its probabilities.
Source      Tian, Weng, Xia, Feng, arXiv 2209.15224, for k = 2; the header of
            `methods/multitask/mtl_gmm` says what is theirs.
"""

from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Matrix, Vector
from kinfolk.numerics import common_centers
from kinfolk.numerics.common_centers import Spectra
from kinfolk.numerics.gaussian_mixtures import WishartPrior

WEIGHTS = 0.25
"""lambda_w / lambda: 0.05 / 0.2, the constants of the authors' package."""


class Parameters(NamedTuple):
    """Weights, means and discriminant vectors of k clusters in d columns, for T tasks or shared.

    weights (T, k), centers (T, k, d), coef (T, k, d) with zeros for the first cluster
    """

    weights: Matrix
    centers: Matrix
    coef: Matrix

    def change(self, other: "Parameters") -> float:
        """Largest absolute difference of any parameter from the other parameters."""
        return float(max(np.abs(a - b).max() for a, b in zip(self, other, strict=True)))


class State(NamedTuple):
    """Mixture parameters of the tasks, their common centers, and the penalty of the next sweep."""

    tasks: Parameters
    common: Parameters
    penalty: float


class StandardizedTasks(NamedTuple):
    """Standardized rows (n_t, d) of each task and the prior of its covariance."""

    tables: list[Matrix]
    priors: list[WishartPrior]


class Schedule(NamedTuple):
    """Penalty schedule: first penalty lambda, factor kappa and increment per sweep."""

    first: float
    kappa: float
    added: float

    @classmethod
    def of(cls, tables: list[Matrix], constant: float, kappa: float) -> "Schedule":
        """Build the schedule of the penalty for a constant C and factor kappa.

        >>> Schedule.of([np.ones((4, 3)), np.ones((9, 3))], 1.0, 0.5).first
        4.922
        """
        added = constant * np.sqrt(tables[0].shape[1] + np.log(len(tables)))
        largest = max(map(len, tables))
        return cls(float(constant * np.sqrt(largest) + added), kappa, float(added))


def start(weights: Matrix, centers: Matrix, covariances: Matrix, penalty: float) -> State:
    """Build the first state from mixtures of the tasks, with clusters aligned across tasks."""
    tasks = Parameters(weights, centers, discriminants(centers, covariances))
    return State(tasks, Parameters(*(part.mean(axis=0) for part in tasks)), penalty)


def discriminants(centers: Matrix, covariances: Matrix) -> Matrix:
    """Linear discriminant vectors S_t^-1 (m_tr - m_t1), (T, k, d), against the first cluster.

    >>> discriminants(np.array([[[0.0], [4.0]]]), np.array([[[2.0]]])).tolist()
    [[[0.0], [2.0]]]
    """
    differences = centers - centers[:, :1]
    return np.linalg.solve(covariances, differences.transpose(0, 2, 1)).transpose(0, 2, 1)


def probabilities(Z: Matrix, weights: Vector, centers: Matrix, coef: Matrix) -> Matrix:
    """Cluster probabilities (n, k) of rows Z (n, d) of one task, by linear discriminants."""
    with np.errstate(divide="ignore"):  # a cluster without rows has probability 0
        logs = np.log(weights) + Z @ coef.T
    logs = logs - 0.5 * np.sum(coef * (centers[0] + centers), axis=1)
    return np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))


def sweep(rows: StandardizedTasks, s: State, schedule: Schedule) -> State:
    """One EM step: probabilities, then weights, means, covariances, discriminants, penalty."""
    R = [probabilities(Z, *of_task) for Z, *of_task in zip(rows.tables, *s.tasks, strict=True)]
    n = np.array([len(Z) for Z in rows.tables], dtype=float)
    pull = np.sqrt(n) * s.penalty
    shares = np.array([R_t.mean(axis=0) for R_t in R])
    weights = common_centers.squares(shares, n, WEIGHTS * pull, s.common.weights)  # (2)
    centers, center = _centers(rows, R, pull, s)
    S = covariances(rows, R, centers)
    coef, direction = _coefficients(S, centers, n, pull, s.common.coef)
    tasks = Parameters(weights.estimates, centers, coef)
    common = Parameters(weights.center, center, direction)
    return State(tasks, common, schedule.kappa * s.penalty + schedule.added)  # (6)


def _centers(
    rows: StandardizedTasks, R: list[Matrix], pull: Vector, s: State
) -> tuple[Matrix, Matrix]:
    """Update cluster means (T, k, d), shrunk to common centers (k, d); return both."""
    N = np.array([R_t.sum(axis=0) for R_t in R])
    means = s.tasks.centers.copy()
    for t, (Z, R_t) in enumerate(zip(rows.tables, R, strict=True)):
        there = N[t] > 0
        means[t, there] = (R_t.T @ Z)[there] / N[t, there, None]
    centers = np.empty_like(means)
    common = np.empty_like(s.common.centers)
    for r in range(means.shape[1]):
        found = common_centers.squares(means[:, r], N[:, r], pull, s.common.centers[r])
        centers[:, r], common[r] = found
    return centers, common


def covariances(rows: StandardizedTasks, R: list[Matrix], centers: Matrix) -> Matrix:
    """Update the covariance of each task (T, d, d), from weighted scatter and its prior."""
    S = []
    for Z, prior, R_t, M in zip(rows.tables, rows.priors, R, centers, strict=True):
        between = (R_t @ M).T @ Z
        within = Z.T @ Z - between - between.T + (M.T * R_t.sum(axis=0)) @ M
        S.append((prior.rows * prior.covariance + within) / (prior.rows + len(Z)))
    return np.array(S)


def _coefficients(
    S: Matrix, centers: Matrix, n: Vector, pull: Vector, common: Matrix
) -> tuple[Matrix, Matrix]:
    """Update discriminant vectors b (T, k, d) and their common centers (k, d)."""
    spectra = Spectra.of(S)
    coef = np.zeros_like(centers)
    common = common.copy()
    for r in range(1, centers.shape[1]):
        difference = centers[:, r] - centers[:, 0]
        found = common_centers.quadratic(S, spectra, difference, n, pull, common[r])
        coef[:, r], common[r] = found
    return coef, common
