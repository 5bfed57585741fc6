"""EM for mixtures of clusters with normal or heavy-tailed numbers and independent categories.

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

Numbers with far outliers are not normal: a normal cluster widens until it covers them, or a second
one describes its rim. So numbers may also have the density of Student's t, with v degrees of
freedom about m_j and the scale S_j. With D_ij = (x_i - m_j)' S_j^-1 (x_i - m_j) a row counts in the
sums of (3) for m and of (4) R_ij U_ij times, the less the farther it is out, and in n_j R_ij times:

    U_ij = (v + d) / (v + D_ij),    1 for normal numbers                                   (8)

It is tried, for one covariance of all clusters, if rows in the normal form of it have heavy tails:
if Mardia's kurtosis is above that of normal rows by three of its standard deviations,

    mean of D_ij^2 over rows i in their likeliest clusters j > d (d + 2) + 3 sqrt(8 d (d + 2) / n)

A mixture of other rows is moved to rows x by one shift u of all its centers, the only numbers that
are free then; with R of (2),

    u = (sum_ij R_ij U_ij S_j^-1)^-1 sum_ij R_ij U_ij S_j^-1 (x_i - m_j)                   (7)

Symbols     X (n, d), B (n, p), R (n, k), w (k,), m (k, d), S (k, d, d), s (k, p).
Units       numbers have variance 1; a is in squares of them.
Limits      without categories the usual Gaussian mixture; k = 1 is one normal cloud.
Source      Fraley, Raftery: Model-based clustering, discriminant analysis, and density estimation.
            JASA 97, 2002; Hunt, Jorgensen: Mixture model clustering using the MULTIMIX program.
            Australian and New Zealand J. of Statistics 41, 1999, for the categories; Peel,
            McLachlan: Robust mixture modelling using the t distribution. Statistics and Computing
            10, 2000, for (8); Mardia: Measures of multivariate skewness and kurtosis. Biometrika
            57, 1970.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln
from scipy.stats import chi2, f

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

# Nearly all normal rows are below: then nothing more is tried.
HEAVY_DEVIATIONS = 3.0
# Between those of errors of measurement and of the returns of shares; few data tell 3 from 5.
HEAVY = 4.0
"""Degrees of freedom of heavy tails."""


class Form(NamedTuple):
    """Form of clusters: one covariance or one each, full or diagonal, and tails as of `Mixture`."""

    shared: bool
    diagonal: bool
    tails: float | None = None


FORMS = Form(True, False), Form(True, True), Form(False, False), Form(False, True)
HEAVY_FORMS = Form(True, False, HEAVY), Form(True, True, HEAVY)


class Mixture(NamedTuple):
    """Weights (k,), centers (k, d), covariances (k, d, d), shares of values (k, p), and tails.

    `tails` are the degrees of freedom v; None for normal numbers.
    """

    weights: Vector
    centers: Matrix
    covariances: NDArray[np.float64]
    shares: Matrix
    tails: float | None = None


class Fitted(NamedTuple):
    """A mixture, the memberships (n, k) of rows under it, log-likelihood L, and BIC."""

    mixture: Mixture
    memberships: Matrix
    likelihood: float
    bic: float


def best(X: Matrix, B: Matrix, starts: list[Labels], k: int, heavy_tails: bool = True) -> Fitted:
    """Fit mixtures of k clusters of each form; return that of the largest BIC.

    Each form starts from the labels (n,) of `starts` that are likeliest after a few sweeps. With
    `heavy_tails` False, numbers are normal in all.

    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.3]])
    >>> found = best(X, np.eye(2)[[0, 0, 0, 1, 1, 1]], [np.array([0, 0, 1, 1, 1, 1])], 2)
    >>> found.memberships.argmax(axis=1), found.mixture.shares.round(2).tolist()
    (array([0, 0, 0, 1, 1, 1]), [[0.88, 0.12], [0.12, 0.88]])
    """
    first = [memberships.indicator(labels, k) for labels in starts]
    found = [_of_form(X, B, first, form) for form in FORMS]
    if heavy_tails and has_heavy_tails(X, found[0].mixture, found[0].memberships):
        found += [_of_form(X, B, first, form) for form in HEAVY_FORMS]
    return max(found, key=lambda one: one.bic)


def _of_form(X: Matrix, B: Matrix, starts: list[Matrix], form: Form) -> Fitted:
    """Fit a mixture of one form, from the likeliest of memberships (n, k) after a few sweeps."""
    tried = [swept(X, B, R, form, FIRST_SWEEPS) for R in starts]
    # Rounded, so that the first of equal starts is taken on every machine.
    likeliest = max(tried, key=lambda one: round(one.likelihood, 9))
    return swept(X, B, likeliest.memberships, form)


def has_heavy_tails(X: Matrix, mixture: Mixture, R: Matrix) -> bool:
    """True if rows X (n, d) lie farther out of their likeliest normal clusters than normal rows do.

    >>> X = np.random.default_rng(0).standard_t(2, size=(200, 2))
    >>> one = renewed(X, np.empty((200, 0)), np.ones((200, 1)), FORMS[0])
    >>> has_heavy_tails(X, one, np.ones((200, 1)))
    True
    """
    n, d = X.shape
    D = own_distances(X, mixture, R)
    usual = d * (d + 2)
    return bool(np.square(D).mean() > usual + HEAVY_DEVIATIONS * np.sqrt(8.0 * usual / n))


def swept(X: Matrix, B: Matrix, R: Matrix, form: Form, sweeps: int = MOST_SWEEPS) -> Fitted:
    """Make EM sweeps from memberships R (n, k) until the likelihood no longer rises."""

    def make_sweeps(R: Matrix) -> Iterator[tuple[Vector, tuple[Mixture, Matrix]]]:
        U = None
        for _ in range(sweeps):
            mixture = renewed(X, B, R, form, U)
            R, U, totals = expected(X, B, mixture)
            yield totals, (mixture, R)

    L, (mixture, R) = until_level(make_sweeps(R))
    free = free_parameters(B, R.shape[1], X.shape[1], form)
    return Fitted(mixture, R, L, 2 * L - free * np.log(len(X)))  # (6)


def until_level(sweeps: Iterable[tuple[Vector, Found]], tol: float = TOL) -> tuple[float, Found]:
    """Make EM sweeps until the likelihood no longer rises, or no sweep is left.

    Parameters
    ----------
    sweeps : of each sweep the log-likelihoods (n,) of the rows, and what it found
    tol : smallest gain of their mean for which sweeps go on

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
        if totals.mean() - before < tol:
            break
        before = totals.mean()
    return float(totals.sum()), found


def expected(X: Matrix, B: Matrix, mixture: Mixture) -> tuple[Matrix, Matrix | None, Vector]:
    """Make the E step.

    Returns
    -------
    R : (n, k) memberships of the rows
    U : (n, k) how much the numbers of a row count in each cluster; None for normal numbers: once
    totals : (n,) log-likelihoods of the rows
    """
    D, volumes = squared_distances(X, mixture)
    logs = _log_densities(D, volumes, B, mixture, X.shape[1])
    highest = logs.max(axis=1, keepdims=True)
    densities = np.exp(logs - highest)
    sums = densities.sum(axis=1, keepdims=True)
    v = mixture.tails
    U = None if v is None else (v + X.shape[1]) / (v + D)  # (8)
    return densities / sums, U, (np.log(sums) + highest)[:, 0]  # (2)


def free_parameters(B: Matrix, k: int, d: int, form: Form) -> int:
    """Number of free parameters of a mixture of k clusters with d numbers and values B (n, p).

    >>> free_parameters(np.eye(2)[[0, 1, 1]], 3, 2, Form(False, False))
    20
    """
    spreads = (d if form.diagonal else d * (d + 1) // 2) * (1 if form.shared else k)
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
            R, U, totals = expected(X - u, B, mixture)
            yield totals, (mixture._replace(centers=mixture.centers + u), R)
            u = shift(X, counted(R, U), mixture)

    L, (there, R) = until_level(make_sweeps(np.zeros(X.shape[1])))
    return Fitted(there, R, L, 2 * L - X.shape[1] * np.log(len(X)))  # (6)


def counted(R: Matrix, U: Matrix | None) -> Matrix:
    """Weights R_ij U_ij (n, k) of rows in sums over their numbers: small for rows far out."""
    return R if U is None else R * U


def shift(X: Matrix, R: Matrix, mixture: Mixture) -> Vector:
    """Shift u (d,) of all centers by which a mixture fits rows that count R (n, k) times best.

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


def renewed(X: Matrix, B: Matrix, R: Matrix, form: Form, U: Matrix | None = None) -> Mixture:
    """Make the M step: the mixture for memberships R (n, k), and U (n, k) as of `expected`."""
    n = np.maximum(R.sum(axis=0), 1e-9)  # an empty cluster has density 0, and a place
    W = counted(R, U)
    M = W.T @ X / np.maximum(W.sum(axis=0), 1e-9)[:, None]  # (3)
    I = np.eye(X.shape[1])
    D = X - M[:, None]  # (k, n, d): all clusters in one product, since each alone is small
    S = np.swapaxes(D * W.T[:, :, None], 1, 2) @ D
    if form.shared:
        S = np.repeat((S.sum(axis=0, keepdims=True) + RIDGE * I) / n.sum(), len(M), axis=0)  # (4)
    else:
        S = (S + RIDGE * I) / n[:, None, None]  # (4)
    shares = (R.T @ B + B.mean(axis=0)) / (n + 1)[:, None]  # (5)
    return Mixture(n / len(X), M, S * I if form.diagonal else S, shares, form.tails)


def log_densities(X: Matrix, B: Matrix, mixture: Mixture) -> Matrix:
    """Logarithms of weighted densities f_j (n, k) of numbers X (n, d) with 0/1 values B (n, p).

    >>> one = Mixture(np.ones(1), np.zeros((1, 1)), np.ones((1, 1, 1)), np.array([[0.25, 0.75]]))
    >>> log_densities(np.zeros((2, 1)), np.eye(2)[::-1], one).round(3).tolist()
    [[-1.207], [-2.305]]
    """
    D, volumes = squared_distances(X, mixture)
    return _log_densities(D, volumes, B, mixture, X.shape[1])


def squared_distances(X: Matrix, mixture: Mixture) -> tuple[Matrix, Vector]:
    """Squared Mahalanobis distances D (n, k) of rows X (n, d), and log determinants (k,) of S."""
    G = np.linalg.cholesky(mixture.covariances)
    # Rows scaled so that each cluster is a ball; the ridge of (4) makes the inverse accurate.
    white = (X - mixture.centers[:, None]) @ np.swapaxes(np.linalg.inv(G), 1, 2)
    volumes = 2.0 * np.log(np.diagonal(G, axis1=1, axis2=2)).sum(axis=1)
    return np.einsum("knd,knd->nk", white, white), volumes


def own_distances(X: Matrix, mixture: Mixture, R: Matrix) -> Vector:
    """Squared Mahalanobis distance (n,) of each row to its likeliest cluster by R (n, k)."""
    D, _ = squared_distances(X, mixture)
    return np.asarray(D[np.arange(len(X)), R.argmax(axis=1)])


def _log_densities(D: Matrix, volumes: Vector, B: Matrix, mixture: Mixture, d: int) -> Matrix:
    v = mixture.tails
    if v is None:
        numbers = -0.5 * (D + (volumes + d * np.log(2.0 * np.pi)))
    else:
        height = gammaln((v + d) / 2) - gammaln(v / 2) - d / 2 * np.log(v * np.pi)
        numbers = height - 0.5 * (volumes + (v + d) * np.log1p(D / v))
    values = B @ np.log(np.maximum(mixture.shares, SMALLEST_SHARE)).T
    return np.log(mixture.weights) + numbers + values


def share_inside(D: Vector, d: int, tails: float | None = None) -> Vector:
    """Share of a cluster of d numbers that lies nearer to its center than squared distances D.

    >>> share_inside(np.array([2.0]), 2).round(3), share_inside(np.array([2.0]), 2, 4.0).round(3)
    (array([0.632]), array([0.556]))
    """
    return np.asarray(chi2(d).cdf(D) if tails is None else f(d, tails).cdf(D / d))
