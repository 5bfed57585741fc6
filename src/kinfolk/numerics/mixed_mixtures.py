"""EM for mixtures of clusters with normal numbers and independent categories.

Cluster j holds a share w_j of the rows. In it the d numbers x are normal, and the c categories
depend neither on them nor on one another. Of the p values of all categories a row has c; b_q is 1
for these, and 0 for the others:

    f_j(x, b) = w_j N(x; m_j, S_j) prod_q s_jq^b_q
    L = sum_i log sum_j f_j(x_i, b_i)                                                      (1)

EM raises L plus the logarithm of a prior, which keeps S and s regular:

    R_ij = f_j(x_i, b_i) / sum_c f_c(x_i, b_i)                                             (2)
    n_j  = sum_i R_ij,    w_j = n_j / n,    m_j = sum_i R_ij x_i / n_j                     (3)
    S_j  = (sum_i R_ij (x_i - m_j)(x_i - m_j)' + a I) / n_j                                (4)
    s_jq = (sum_i R_ij b_iq + mean of b_q) / (n_j + 1)                                     (5)

The covariance has one of four forms: each cluster has its own, or all have one, (4) with sums over
j; and it is full or diagonal. The form is chosen by

    BIC = 2 L - (free parameters) log n,    the larger the better.                         (6)

A mixture of other rows is moved to rows x by one shift u of all its centers, the only numbers that
are free then; with R of (2),

    u = (sum_ij R_ij S_j^-1)^-1 sum_ij R_ij S_j^-1 (x_i - m_j)                             (7)

Symbols     X (n, d), B (n, p), R (n, k), w (k,), m (k, d), S (k, d, d), s (k, p).
Units       numbers have variance 1; a is in squares of them.
Limits      without categories the usual Gaussian mixture; k = 1 is one normal cloud.
Source      Fraley, Raftery: Model-based clustering, discriminant analysis, and density estimation.
            JASA 97, 2002; Hunt, Jorgensen: Mixture model clustering using the MULTIMIX program.
            Australian and New Zealand J. of Statistics 41, 1999, for the categories.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.numerics import memberships

# Of columns with variance 1: the variance of a cluster of 20 rows is at least .005.
RIDGE = 0.1
# The likeliest of several starts mostly is so after ten sweeps.
FIRST_SWEEPS = 10
MOST_SWEEPS = 200
# A smaller gain of the mean log-likelihood moves hardly any row.
TOL = 1e-5
# Far below those of values that a cluster has, far above rounding.
SMALLEST_SHARE = 1e-12

Found = TypeVar("Found")

FORMS = ((True, False), (True, True), (False, False), (False, True))
"""Covariances: whether all clusters share one, and whether it is diagonal."""


class Mixture(NamedTuple):
    """Weights (k,), centers (k, d), covariances (k, d, d) and shares of values (k, p)."""

    weights: Vector
    centers: Matrix
    covariances: NDArray[np.float64]
    shares: Matrix


class Fitted(NamedTuple):
    """A mixture, the memberships (n, k) of rows under it, log-likelihood L, and BIC."""

    mixture: Mixture
    memberships: Matrix
    likelihood: float
    bic: float


def best(X: Matrix, B: Matrix, starts: list[Labels], k: int) -> Fitted:
    """Fit mixtures of k clusters with each form of covariance; return that of the largest BIC.

    Each form starts from the labels (n,) of `starts` that are likeliest after a few sweeps.

    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.3]])
    >>> found = best(X, np.eye(2)[[0, 0, 0, 1, 1, 1]], [np.array([0, 0, 1, 1, 1, 1])], 2)
    >>> found.memberships.argmax(axis=1), found.mixture.shares.round(2).tolist()
    (array([0, 0, 0, 1, 1, 1]), [[0.88, 0.12], [0.12, 0.88]])
    """
    found = []
    for shared, diagonal in FORMS:
        first = [memberships.indicator(labels, k) for labels in starts]
        tried = [swept(X, B, R, shared, diagonal, FIRST_SWEEPS) for R in first]
        # Rounded, so that the first of equal starts is taken on every machine.
        likeliest = max(tried, key=lambda one: round(one.likelihood, 9))
        found.append(swept(X, B, likeliest.memberships, shared, diagonal))
    return max(found, key=lambda one: one.bic)


def swept(
    X: Matrix, B: Matrix, R: Matrix, shared: bool, diagonal: bool, sweeps: int = MOST_SWEEPS
) -> Fitted:
    """Make EM sweeps from memberships R (n, k) until the likelihood no longer rises."""

    def make_sweeps(R: Matrix) -> Iterator[tuple[Vector, tuple[Mixture, Matrix]]]:
        for _ in range(sweeps):
            mixture = renewed(X, B, R, shared, diagonal)
            R, totals = expected(X, B, mixture)
            yield totals, (mixture, R)

    L, (mixture, R) = until_level(make_sweeps(R))
    free = free_parameters(B, R.shape[1], X.shape[1], shared, diagonal)
    return Fitted(mixture, R, L, 2 * L - free * np.log(len(X)))  # (6)


def until_level(sweeps: Iterable[tuple[Vector, Found]]) -> tuple[float, Found]:
    """Make EM sweeps until the likelihood no longer rises, or no sweep is left.

    Parameters
    ----------
    sweeps : of each sweep the log-likelihoods (n,) of the rows, and what it found

    Returns
    -------
    L : log-likelihood (1) of all rows after the last sweep made
    found : what this sweep found

    Examples
    --------
    >>> until_level([(np.array([-3.0, -2.0]), "a"), (np.array([-3.0, -2.0]), "b")])
    (-5.0, 'b')
    """
    before = -np.inf
    for made in sweeps:
        totals, found = made
        if totals.mean() - before < TOL:
            break
        before = totals.mean()
    return float(totals.sum()), found


def expected(X: Matrix, B: Matrix, mixture: Mixture) -> tuple[Matrix, Vector]:
    """Make the E step: memberships R (n, k) of the rows, and their log-likelihoods (n,)."""
    logs = log_densities(X, B, mixture)
    totals = np.logaddexp.reduce(logs, axis=1)
    return np.exp(logs - totals[:, None]), totals  # (2)


def free_parameters(B: Matrix, k: int, d: int, shared: bool, diagonal: bool) -> int:
    """Number of free parameters of a mixture of k clusters with d numbers and values B (n, p).

    >>> free_parameters(np.eye(2)[[0, 1, 1]], 3, 2, False, False)
    20
    """
    spreads = (d if diagonal else d * (d + 1) // 2) * (1 if shared else k)
    categories = int(B.sum(axis=1).max(initial=0.0))  # the shares of each add up to 1
    return k - 1 + k * (d + B.shape[1] - categories) + spreads


def moved(X: Matrix, B: Matrix, mixture: Mixture) -> Fitted:
    """Shift all centers of a mixture of other rows to where it fits rows X (n, d), B (n, p) best.

    >>> centers, none = np.array([[0.0], [5.0]]), np.empty((2, 0))
    >>> there = Mixture(np.full(2, 0.5), centers, np.ones((2, 1, 1)), none)
    >>> moved(np.array([[1.1], [5.9]]), none, there).mixture.centers.round(1).tolist()
    [[1.0], [6.0]]
    """

    def make_sweeps(u: Vector) -> Iterator[tuple[Vector, tuple[Mixture, Matrix]]]:
        for _ in range(MOST_SWEEPS):
            R, totals = expected(X - u, B, mixture)
            yield totals, (mixture._replace(centers=mixture.centers + u), R)
            u = shift(X, R, mixture)

    L, (there, R) = until_level(make_sweeps(np.zeros(X.shape[1])))
    return Fitted(there, R, L, 2 * L - X.shape[1] * np.log(len(X)))  # (6)


def shift(X: Matrix, R: Matrix, mixture: Mixture) -> Vector:
    """Shift u (d,) of all centers by which a mixture fits rows with memberships R (n, k) best.

    >>> centers, none = np.array([[0.0], [5.0]]), np.empty((2, 0))
    >>> there = Mixture(np.full(2, 0.5), centers, np.ones((2, 1, 1)), none)
    >>> shift(np.array([[1.0], [6.0], [6.2]]), np.eye(2)[[0, 1, 1]], there).round(2).tolist()
    [1.07]
    """
    P = np.linalg.inv(mixture.covariances)
    sizes = R.sum(axis=0)
    weights = np.einsum("j,jab->ab", sizes, P)
    rest = R.T @ X - sizes[:, None] * mixture.centers
    return np.asarray(np.linalg.solve(weights, np.einsum("jab,jb->a", P, rest)))  # (7)


def rows_suffice(n: int, d: int) -> bool:
    """True if n is at least twice the number of free entries of a covariance (d, d), d > 0.

    >>> rows_suffice(12, 3), rows_suffice(11, 3)
    (True, False)
    """
    return d > 0 and n >= d * (d + 1)


def renewed(X: Matrix, B: Matrix, R: Matrix, shared: bool, diagonal: bool) -> Mixture:
    """Make the M step: the mixture for memberships R (n, k)."""
    n = np.maximum(R.sum(axis=0), 1e-9)  # an empty cluster has density 0, and a place
    M = R.T @ X / n[:, None]  # (3)
    I = np.eye(X.shape[1])
    D = X - M[:, None]  # (k, n, d): all clusters in one product, since each alone is small
    S = np.swapaxes(D * R.T[:, :, None], 1, 2) @ D
    if shared:
        S = np.repeat((S.sum(axis=0, keepdims=True) + RIDGE * I) / n.sum(), len(M), axis=0)  # (4)
    else:
        S = (S + RIDGE * I) / n[:, None, None]  # (4)
    shares = (R.T @ B + B.mean(axis=0)) / (n + 1)[:, None]  # (5)
    return Mixture(n / len(X), M, S * I if diagonal else S, shares)


def log_densities(X: Matrix, B: Matrix, mixture: Mixture) -> Matrix:
    """Logarithms of weighted densities f_j (n, k) of numbers X (n, d) with 0/1 values B (n, p).

    >>> one = Mixture(np.ones(1), np.zeros((1, 1)), np.ones((1, 1, 1)), np.array([[0.25, 0.75]]))
    >>> log_densities(np.zeros((2, 1)), np.eye(2)[::-1], one).round(3).tolist()
    [[-1.207], [-2.305]]
    """
    w, M, S, s = mixture
    G = np.linalg.cholesky(S)
    # Rows scaled so that each cluster is a ball; the ridge of (4) makes the inverse accurate.
    white = (X - M[:, None]) @ np.swapaxes(np.linalg.inv(G), 1, 2)
    volumes = 2.0 * np.log(np.diagonal(G, axis1=1, axis2=2)).sum(axis=1)
    volumes += X.shape[1] * np.log(2.0 * np.pi)
    normal = np.log(w) - 0.5 * (np.square(white).sum(axis=2).T + volumes)
    return normal + B @ np.log(np.maximum(s, SMALLEST_SHARE)).T
