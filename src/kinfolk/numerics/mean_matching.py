"""Kernel mean matching: row weights that move one sample's mean to that of another sample.

    minimize   1/2 b'K b - kappa'b                                                           (1)
    subject to 0 <= b_j <= b_max,   |sum b - n| <= n e,   e = b_max / sqrt(n)

with K = A A' the inner products of the rows A (n, d), and kappa = (n / m) A C'1 those with the rows
C (m, d) of the other sample. (1) is n^2/2 |mu_b - mu|^2 up to a constant, where

    mu_b = (1/n) sum_j b_j A_j   and   mu = (1/m) sum_i C_i.                                 (2)

Solved by accelerated projected gradients with restarts: a step of length 1/L from an extrapolated
point, where L grows until it bounds the curvature along the step, until a step moves no weight. The
projection onto the bounds is clip(v - theta, 0, b_max) with one number theta. Where that takes many
steps, they go on from the answer of an interior-point method (`boxed_programme`), and mostly end at
once.

Symbols     rows may be any features; unit rows make K their cosines.
Units       b has none.
Exact       K is formed where n <= d, else products with A are used.
Limits      both samples equal: b = 1 is a solution. b_max = 1: all b between 0 and 1.
Source      Huang, Smola, Gretton, Borgwardt, Schoelkopf, NIPS 19 (2006), equation (12), where e is
            (sqrt(n) - 1) / sqrt(n); b_max / sqrt(n) is the value they propose in general. Steps:
            Beck, Teboulle (2009), SIAM J. Imaging Sciences 2; restarts: O'Donoghue, Candes (2015),
            Foundations of Computational Mathematics 15.
"""

from collections.abc import Callable

import numpy as np

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import boxed_programme, distances, operators

LARGEST = 10.0
"""Default of b_max, the largest weight of a row."""

STILL = 1e-11
"""Steps below this share of b_max end the descent."""

MOST_STEPS = 20_000

FEW_STEPS = 150
"""Steps from b = 1, which for few rows take as long as the interior-point method."""

INSIDE = 1000
"""Most rows or columns, whichever are fewer, for the interior-point method, which inverts that."""


def project(v: Vector, most: float, low: float, high: float) -> Vector:
    """Project v (n,) onto the set 0 <= b <= most, low <= sum b <= high.

    >>> project(np.array([0.2, 3.0, -1.0]), 2.0, 0.0, 1.5)
    array([0. , 1.5, 0. ])
    >>> project(np.array([0.2, 3.0, -1.0]), 2.0, 3.0, 4.0)
    array([1., 2., 0.])
    """
    b = np.clip(v, 0.0, most)
    total = b.sum()
    if low <= total <= high:
        return b
    # The sum of clip(v - theta) falls by the number of entries between 0 and `most`.
    breaks = np.concatenate([v, v - most])
    order = np.argsort(-breaks, kind="stable")
    theta = breaks[order]
    slope = np.cumsum(np.repeat([1.0, -1.0], len(v))[order])
    sums = np.concatenate([[0.0], np.cumsum(slope[:-1] * -np.diff(theta))])
    wanted = min(max(total, low), high)
    shift = float(np.interp(wanted, sums, theta))
    return np.clip(v - shift, 0.0, most)


def weights(A: Table, C: Table, most: float = LARGEST) -> Vector:
    """Weights (n,) of rows A (n, d) whose weighted mean is closest to the mean of C (m, d).

    >>> A = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> weights(A, np.array([[1.0, 0.0]]), most=1.5).round(3)
    array([1.5, 0. ])
    """
    n, d = A.shape
    kappa = (n / C.shape[0]) * operators.times(A, operators.sums(C))
    if n <= d:
        K = operators.crossed(A.T, A.T)

    def times(b: Vector) -> Vector:
        return K @ b if n <= d else operators.times(A, _combined(A, b))

    b, ended = _solved(times, kappa, most, np.ones(n), FEW_STEPS)
    if not ended and min(n, d) <= INSIDE:
        b = boxed_programme.solution(A, kappa, most, *_sums(n, most))
    return b if ended else _solved(times, kappa, most, b, MOST_STEPS)[0]


def _sums(n: int, most: float) -> tuple[float, float]:
    """Least and largest sum of n weights."""
    slack = most * np.sqrt(n)
    return max(0.0, n - slack), n + slack


def relatedness(A: Table, C: Table) -> float:
    """Cosine of the reweighted mean of A and the mean of C, at least 0.

    >>> A = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> round(relatedness(A, np.array([[1.0, 0.2]])), 3), relatedness(A, np.array([[-1.0, 0.0]]))
    (1.0, 0.0)
    """
    found = _combined(A, weights(A, C))[None, :]
    wanted = operators.sums(C)[None, :]
    return float(np.clip(distances.paired_cosines(found, wanted)[0], 0.0, 1.0))


def _combined(A: Table, b: Vector) -> Vector:
    """Weighted sum A'b (d,) of the rows of A."""
    found: Matrix = operators.crossed(A, b[:, None])
    return found.ravel()


def _solved(
    times: Callable[[Vector], Vector], kappa: Vector, most: float, start: Vector, steps: int
) -> tuple[Vector, bool]:
    """Descend on (1) by products with the Gram matrix K; return b, and True if it is the minimum.

    At most `steps` steps are taken.
    """
    n = len(kappa)
    low, high = _sums(n, most)
    b = project(start, most, low, high)
    Kb = times(b)
    y, Ky = b, Kb
    # A lower bound of the largest eigenvalue.
    L = max(float(b @ Kb) / float(b @ b), np.finfo(float).tiny)
    momentum = 1.0
    for _ in range(steps):
        slope = Ky - kappa
        while True:
            new = project(y - slope / L, most, low, high)
            step = new - y
            K_new = times(new)
            # L is large enough if the quadratic bound holds along the step; rounding must not
            # double it.
            if step @ (K_new - Ky) <= L * (step @ step) * (1 + 1e-12) or L > 1e300:
                break
            L *= 2.0
        if np.abs(step).max() <= STILL * most:
            return new, True
        following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        if step @ (new - b) < 0:  # the momentum leads uphill
            following = 1.0
            share = 0.0
        else:
            share = (momentum - 1.0) / following
        y = new + share * (new - b)
        Ky = K_new + share * (K_new - Kb)
        b, Kb, momentum = new, K_new, following
    return b, False
