"""Multiplicative steps that keep factors non-negative and never raise their objective."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from kinfolk.arrays import Matrix
from kinfolk.numerics.operators import Symmetric

LONGEST = 1e200
"""The largest ratio of a step; a longer step could overflow."""


def ratio(up: Matrix, down: Matrix, empty: float) -> Matrix:
    """up / down of a multiplicative step, both non-negative; `empty` where down is 0.

    >>> ratio(np.array([3.0, 3.0, 3.0]), np.array([2.0, 0.0, 1e-310]), 1.0)
    array([1.5e+000, 1.0e+000, 1.0e+200])
    """
    # Cut where a factor has nearly vanished: any step between 1 and the full one lowers J.
    held = np.maximum(down, up / LONGEST)
    return np.divide(up, held, out=np.full_like(down, empty), where=down > 0)


def symmetric_step(Y: Matrix, PY: Matrix, NY: Matrix | None) -> Matrix:
    """One step for min |M - Y Y'|_F^2 over Y >= 0, given the products of M = P - N with Y.

    For non-negative M (N = 0) the published step Y o sqrt( MY / (Y Y'Y) ). Otherwise
    Y o ( PY / (NY + Y Y'Y) )^(1/4): bounding u^2 by (u^4 + 1)/2 puts N into the quartic majoriser
    of Y Y'Y, whose minimiser has this fourth root.

    >>> Y = np.array([[1.0], [1.0]])
    >>> symmetric_step(Y, np.full((2, 1), 8.0), None)
    array([[2.],
           [2.]])
    """
    cubic = Y @ (Y.T @ Y)
    if NY is not None:
        cubic += NY
    step = ratio(PY, cubic, 0.0)
    step = np.sqrt(step, out=step)
    return Y * (step if NY is None else np.sqrt(step, out=step))


class Factor(NamedTuple):
    """Point of the descent of |M - Y Y'|_F^2: Y (n, k) and the products of M = P - N with it.

    NY is None where M is non-negative.
    """

    Y: Matrix
    PY: Matrix
    NY: Matrix | None


def factor(M: Symmetric, Y: Matrix) -> Factor:
    """Complete Y by its products with M.

    >>> from kinfolk.numerics.operators import Explicit
    >>> factor(Explicit(np.array([[2.0, 1.0], [1.0, 2.0]])), np.array([[1.0], [3.0]])).PY
    array([[5.],
           [7.]])
    """
    return Factor(Y, *M.parts(Y))


def symmetric_sweep(M: Symmetric, s: Factor) -> Factor:
    """One `symmetric_step` and the products at its end, which the objective needs too."""
    return factor(M, symmetric_step(s.Y, s.PY, s.NY))


def symmetric_objective(squared_norm: float, s: Factor) -> float:
    """|M - Y Y'|_F^2 = |M|_F^2 - 2 tr(Y'MY) + |Y'Y|_F^2."""
    MY = s.PY if s.NY is None else s.PY - s.NY
    return float(squared_norm - 2.0 * np.vdot(s.Y, MY) + np.sum(np.square(s.Y.T @ s.Y)))


def least_squares(G: Matrix, B: Matrix) -> Matrix:
    """Minimise y'Gy - 2 b'y over y >= 0 for each row b of B (m, k); G (k, k) positive.

    >>> least_squares(np.eye(2), np.array([[1.0, -1.0]]))
    array([[1., 0.]])
    """
    # With G = R'R the problem is that of |R y - c|, which nnls solves.
    values, vectors = np.linalg.eigh(G)
    kept = values > 1e-12 * max(values[-1], 1e-300)  # others are 0 up to rounding
    if not kept.any():
        return np.zeros_like(B)
    root = np.sqrt(values[kept])
    R = root[:, None] * vectors[:, kept].T
    C = (B @ vectors[:, kept]) / root
    return np.array([nnls(R, c)[0] for c in C]).reshape(B.shape)
