"""Jensen-Shannon divergences between clusters of two tasks, and pairs of nearest clusters.

    JSD(p, q) = 1/2 E_p ln(2p / (p + q)) + 1/2 E_q ln(2q / (p + q)),  between 0 and ln 2      (1)

terms       p and q are the sums of the rows of a cluster, divided by their total: how often each
            term occurs in it. Rows must not be negative.
densities   p and q are Gaussian kernel densities of one bandwidth h for all, whose constant
            cancels; E_p is the mean over the rows of the cluster. A row is left out of the density
            of its own cluster, unless it is the only one there. Estimates may fall below 0.

Symbols     Z_t (n_t, d) rows of a task, JSD (k_t, k_s); inf where a cluster has no rows or terms.
Source      Lin (1991), IEEE Trans. Information Theory 37, for (1); Silverman (1986) for densities.
Departures  Silverman's bandwidth underflows in many dimensions; h is given by the caller.
"""

import numpy as np

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.numerics import distances, memberships, operators

TINY = np.finfo(float).tiny


def by_terms(A: Table, a: Labels, B: Table, b: Labels, k: tuple[int, int]) -> Matrix:
    """Jensen-Shannon divergences (k_A, k_B) of the clusters' word distributions, of two tasks.

    >>> A = np.array([[1.0, 0.0], [0.0, 2.0]])
    >>> by_terms(A, np.array([0, 1]), A[:1], np.array([0]), (2, 1)).round(3)
    array([[0.   ],
           [0.693]])
    """
    P, Q = (_shares(Z, labels, n) for Z, labels, n in zip((A, B), (a, b), k, strict=True))
    return np.array([[_divergence(p, q) for q in Q] for p in P]).reshape(k)


def by_densities(
    A: Table, a: Labels, B: Table, b: Labels, k: tuple[int, int], bandwidth: float
) -> Matrix:
    """Jensen-Shannon divergences (k_A, k_B) of the clusters' kernel densities, of two tasks.

    >>> A = np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> own = np.array([0, 0, 1, 1])
    >>> by_densities(A, own, A + 0.05, own, (2, 2), 1.0).round(2)
    array([[-0.  ,  0.69],
           [ 0.69, -0.  ]])
    """
    P_a = _densities(A, a, A, a, k[0], bandwidth, own=True)
    Q_a = _densities(A, a, B, b, k[1], bandwidth, own=False)
    P_b = _densities(B, b, A, a, k[0], bandwidth, own=False)
    Q_b = _densities(B, b, B, b, k[1], bandwidth, own=True)
    found = np.full(k, np.inf)
    for i in np.unique(a):
        for j in np.unique(b):
            there = _mean_log(P_a[a == i, i], Q_a[a == i, j])
            found[i, j] = (there + _mean_log(Q_b[b == j, j], P_b[b == j, i])) / 2
    return found


def pairs(divergences: Matrix, mutual: bool) -> list[tuple[int, int]]:
    """Pair each cluster i of one task with its nearest j; `mutual` also requires the converse.

    >>> D = np.array([[0.1, 0.5], [0.2, 0.6]])
    >>> pairs(D, mutual=True), pairs(D, mutual=False)
    ([(0, 0)], [(0, 0), (1, 0)])
    """
    nearest = divergences.argmin(axis=1)
    back = divergences.argmin(axis=0)
    return [
        (i, int(j))
        for i, j in enumerate(nearest)
        if np.isfinite(divergences[i, j]) and (not mutual or back[j] == i)
    ]


def _shares(Z: Table, labels: Labels, k: int) -> Matrix:
    """Word distribution (k, d) of each cluster: each column's share; 0 for an empty cluster."""
    sums = operators.crossed(memberships.indicator(labels, k), Z)
    totals = sums.sum(axis=1, keepdims=True)
    return np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)


def _divergence(p: Vector, q: Vector) -> float:
    """Jensen-Shannon divergence of two distributions over words; inf if one is all zeros."""
    if not (p.any() and q.any()):
        return np.inf
    return (_expected_log(p, q) + _expected_log(q, p)) / 2


def _expected_log(p: Vector, q: Vector) -> float:
    held = p > 0
    return float(p[held] @ np.log(2 * p[held] / (p[held] + q[held])))


def _mean_log(p: Vector, q: Vector) -> float:
    """Mean of ln(2p / (p + q)) over rows with densities p and q."""
    logs = np.log(np.maximum(2 * p, TINY) / np.maximum(p + q, TINY))
    # A row near no row of either cluster says nothing of the other's, as if q alone were 0.
    return float(np.mean(np.where(p + q > 0, logs, np.log(2.0))))


def _densities(A: Table, a: Labels, B: Table, b: Labels, k: int, h: float, *, own: bool) -> Matrix:
    """Kernel densities (n, k) of the k clusters of rows B at the rows A; `own` says that A is B."""
    Y = memberships.indicator(b, k)
    dense = operators.dense(B)
    found = np.empty((A.shape[0], k))
    for rows in operators.blocks(A.shape[0], B.shape[0]):
        kernel = np.exp(distances.squared(A[rows], dense) / (-2.0 * h * h))
        found[rows] = operators.times(Y.T, kernel.T).T
    sizes = operators.sums(Y)[None, :]
    if own:
        alone = sizes[0, a] <= 1
        i = np.arange(len(a))
        found[i, a] -= np.where(alone, 0.0, 1.0)
        sizes = np.repeat(sizes, len(a), axis=0)
        sizes[i, a] -= np.where(alone, 0.0, 1.0)
    return np.maximum(found, 0.0) / np.maximum(sizes, 1.0)
