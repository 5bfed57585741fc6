"""Estimates one vector per task, each shrunk towards a common center estimated with them.

Task t has a loss f_t of its own and pays for its distance to the center c:

    min over theta_t, c  sum_t f_t(theta_t) + s_t |theta_t - c|                          (1)

A norm that is not squared is 0 at once for tasks close to the center, and of a task far away it
pulls the center no harder than s_t: outlier tasks are left to themselves. With v_t = theta_t - c,
exact steps in v and c take turns; (1) never rises, and as only |v_t| is not smooth they reach its
minimum. For (3) a Newton step of c, v going along, comes first and stays if (1) falls. Two losses:

    squares     f_t = N_t/2 |theta - m_t|^2                                              (2)
                v_t = (1 - s_t / (N_t |m_t - c|))_+ (m_t - c)
    quadratic   f_t = n_t (theta' S_t theta / 2 - theta' b_t)                            (3)
                v_t = 0 if |b_t - S_t c| <= s_t / n_t, else
                v_t = (S_t + s_t / (n_t |v_t|) I)^-1 (b_t - S_t c),

where |v_t| is the only root of a concave function, which Newton's steps approach from below.

Limits   s = 0: each task by itself; s -> infinity: one estimate for all.
Source   Duan, Wang, Annals of Statistics 51, 2023 (ARMUL), for (1); Tian, Weng, Xia, Feng, arXiv
         2209.15224, where proximal gradient steps stand in place of the exact ones.
"""

from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Matrix, Vector

STEPS = 10
"""The most steps in v and c. If they are slow, the next call continues from the last center."""
NEWTON = 60
"""The most steps of Newton's method for |v_t|; 3 to 8 are usual."""
CLOSE = 1e-6
"""Steps end where the center moves by this share of the size of the estimates at most."""


class Drawn(NamedTuple):
    """The tasks' estimates (T, d), shrunk towards a common center, and that center (d,)."""

    estimates: Matrix
    center: Vector


def squares(m: Matrix, N: Vector, s: Vector, center: Vector) -> Drawn:
    """Shrink means m (T, d) of N (T,) rows towards a common center: (1) with the losses (2).

    Steps start from `center` (d,).

    >>> found = squares(np.array([[0.0], [0.2], [9.0]]), np.ones(3), np.ones(3), np.zeros(1))
    >>> found.estimates.round(2).tolist(), found.center.round(2).tolist()
    ([[0.6], [0.6], [8.0]], [0.6])
    """
    size = CLOSE * (np.abs(m).max() + np.abs(center).max())
    total = N.sum()
    v = np.zeros_like(m)
    if total == 0:
        return Drawn(center + v, center)
    for _ in range(STEPS):
        v = _shrunk(m - center, s, N)
        before = center
        center = N @ (m - v) / total
        if np.abs(center - before).max() <= size:
            break
    return Drawn(center + v, center)


def _shrunk(u: Matrix, s: Vector, N: Vector) -> Matrix:
    """Minimize N_t/2 |v - u_t|^2 + s_t |v| over v for each task by soft-thresholding, (T, d)."""
    pull = N * np.linalg.norm(u, axis=1)
    far = pull > s
    factor = np.where(far, 1.0 - s / np.where(far, pull, 1.0), 0.0)
    return u * factor[:, None]


class Spectra(NamedTuple):
    """Eigenvalues (T, d) and eigenvectors (T, d, d) of positive definite matrices."""

    values: Matrix
    vectors: Matrix

    @classmethod
    def of(cls, S: Matrix) -> "Spectra":
        """Compute the eigendecompositions of matrices S (T, d, d)."""
        return cls(*np.linalg.eigh(S))


def quadratic(S: Matrix, spectra: Spectra, b: Matrix, n: Vector, s: Vector, c: Vector) -> Drawn:
    """Minimize quadratic losses of all tasks plus s_t times the distance to a common center.

    This is (1) with the losses (3). Steps start from the center c (d,); `spectra` are those of S.

    >>> S = np.array([[[1.0]], [[1.0]], [[1.0]]])
    >>> b = np.array([[0.0], [0.2], [9.0]])  # as `squares` where S is 1
    >>> found = quadratic(S, Spectra.of(S), b, np.ones(3), np.ones(3), np.zeros(1))
    >>> found.estimates.round(2).tolist(), found.center.round(2).tolist()
    ([[0.6], [0.6], [8.0]], [0.6])
    """
    v = _roots(spectra, b - S @ c, s / n)
    value = _value(S, b, n, s, c, v)
    together = np.einsum("t,tij->ij", n, S)
    for _ in range(STEPS):
        before = c
        for step in (_newton(S, b, n, s, c, v), np.linalg.solve(together, _left(S, b, n, v)) - c):
            tried = _roots(spectra, b - S @ (c + step), s / n)
            reached = _value(S, b, n, s, c + step, tried)
            if reached <= value:
                c, v, value = c + step, tried, reached
                break
        if np.abs(c - before).max() <= CLOSE * (np.abs(c).max() + np.abs(v).max()):
            break
    return Drawn(c + v, c)


def _value(S: Matrix, b: Matrix, n: Vector, s: Vector, c: Vector, v: Matrix) -> float:
    """Objective of `quadratic` at a common center c and the tasks' differences v (T, d) from it."""
    theta = c + v
    losses = np.einsum("ti,tij,tj->t", theta, S, theta) / 2 - np.sum(theta * b, axis=1)
    return float(n @ losses + s @ np.linalg.norm(v, axis=1))


def _left(S: Matrix, b: Matrix, n: Vector, v: Matrix) -> Vector:
    """Right side of the linear system for the common center, for given differences v (T, d)."""
    return n @ (b - np.einsum("tij,tj->ti", S, v))


def _newton(S: Matrix, b: Matrix, n: Vector, s: Vector, c: Vector, v: Matrix) -> Vector:
    """Newton step for the common center, with the tasks' differences v optimal for each center.

    The step for fixed v is small where one task has a large S, however far away the task is.
    """
    d = len(c)
    length = np.linalg.norm(v, axis=1)
    far = length > 0
    u = v / np.where(far, length, 1.0)[:, None]
    # Second derivatives of |v|, by which a task that is far away still holds the center.
    P = (s / np.where(far, length, 1.0))[:, None, None] * (np.eye(d) - u[:, :, None] * u[:, None])
    curved = n[:, None, None] * S
    bent = P - P @ np.linalg.solve(curved + P, P)
    H = np.where(far[:, None, None], bent, curved).sum(axis=0)
    H[np.diag_indices(d)] += 1e-9 * np.trace(curved.sum(axis=0)) / d  # H may be singular
    gradient = -_left(S, b - np.einsum("tij,j->ti", S, c), n, v)
    return -np.linalg.solve(H, gradient)


def _roots(spectra: Spectra, b: Matrix, tau: Vector) -> Matrix:
    """Minimize v'S_t v / 2 - v'b_t + tau_t |v| over v for each task, giving (T, d)."""
    values, vectors = spectra
    u = np.einsum("tij,ti->tj", vectors, b)
    if not tau.any():
        return np.einsum("tij,tj->ti", vectors, u / values)
    far = np.linalg.norm(u, axis=1) > tau
    length = np.zeros(len(tau))
    u = u * far[:, None]
    # With a_i = e_i |v| + tau, the equation |u / a| = 1 has the only root |v| > 0.
    for _ in range(NEWTON):
        a = values * length[:, None] + np.where(far, tau, 1.0)[:, None]
        norm = np.linalg.norm(u / a, axis=1)
        slope = np.sum(np.square(u) * values / a**3, axis=1)  # -norm d norm / d length
        step = np.where(far, (norm - 1.0) * norm**2 / np.where(slope > 0, slope, 1.0), 0.0)
        length = length + np.maximum(step, 0.0)
        # Newton's steps are quadratic: one this small leaves nothing but rounding.
        if (step <= 1e-12 * length).all():
            break
    a = values * length[:, None] + np.where(far, tau, 1.0)[:, None]
    return np.einsum("tij,tj->ti", vectors, u * length[:, None] / a)
