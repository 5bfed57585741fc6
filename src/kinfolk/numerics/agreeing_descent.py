"""Fits the components and the consensus of MultiNMF by L-BFGS-B.

For the objective of `agreeing_factors`,

    J = sum_v ( |X_v - Y_v H_v|^2 + lambda sum_i o_iv |Y_v[i] Q_v - C[i]|^2 ),
    Q_v = diag(row sums of H_v)

the best Y_v >= 0 are found exactly for given H_v and C, so that J depends on these alone, and its
slope is that at fixed Y_v (the envelope theorem). With N_v = H_v / Q_v, which has the same J,

    dJ/dN_v = 2 (Y_v'Y_v N_v - Y_v'X_v),   dJ/dC = 2 lambda sum_v o_v (C - Y_v),

and L-BFGS-B descends along it. Updates of one row or column at a time take thousands of sweeps to
the same J, since Y_v, H_v and C can only move together.

Symbols     X_v (n, d_v), H_v and N_v (k, d_v), Y_v and C (n, k), o (n, V).
Exact       one view, or lambda = 0: the best C is the mean of the Y_v, and is left out.
Source      variable projection: Golub, Pereyra (1973). L-BFGS-B: Byrd, Lu, Nocedal, Zhu (1995).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import agreeing_factors, bounded_descent, distances, nonnegative, operators
from kinfolk.numerics.agreeing_factors import State

STEPS = 60
"""Most steps of L-BFGS-B in a sweep, and the number of past steps that it keeps.

With 20, sweeps on a plateau lower J by 1e-8 of itself each, and pass for the end; 60 cross it.
"""

LEAST = 1e-300
"""Least sum that a row of components is divided by; a row of zeros stays one of zeros."""


class _Views(NamedTuple):
    tables: Sequence[Table]
    there: Matrix
    pull: float  # lambda, or 0 where C is left out


class _Point(NamedTuple):
    """Best memberships, the objective less sum |X_v|^2, and its slopes in H and the consensus."""

    Y: list[Matrix]
    value: float
    slopes: list[Matrix]
    consensus_slope: Matrix


def descend(tables: Sequence[Table], there: Matrix, s: State, lam: float) -> State:
    """Lower the objective by at most `STEPS` steps of L-BFGS-B from a state; J never rises.

    >>> X = np.array([[2.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
    >>> Y = np.array([[2.0, 1.0], [4.0, 1.0], [1.0, 3.0]])
    >>> s = State([Y], [np.array([[0.8, 0.2], [0.1, 0.9]])], Y)
    >>> found = descend([X], np.ones((3, 1)), s, 0.01)
    >>> (found.Y[0] @ found.H[0]).round(3) + 0.0
    array([[2., 0.],
           [4., 0.],
           [0., 3.]])
    """
    size = sum(float(distances.squared_norms(X).sum()) for X in tables)
    joint = len(tables) > 1 and lam > 0
    p = _Views(tables, there, lam if joint else 0.0)
    if not size > 0:
        return s
    # Slopes in the entries of C and of H have similar size in these units.
    spread = np.mean([np.sum(np.square(Y)) for Y in s.Y]) / s.C.shape[1]
    unit = float(np.sqrt(lam * len(tables) / spread)) if joint and spread > 0 else 1.0
    shapes = [H.shape for H in s.H]
    ends = np.cumsum([H.size for H in s.H])
    last = [s.Y]  # the guess for the next Y

    def parts(x: Vector) -> tuple[list[Matrix], Matrix]:
        own = np.split(x, ends)
        H = [h.reshape(shape) for h, shape in zip(own, shapes, strict=False)]
        return H, own[-1].reshape(s.C.shape) / unit if joint else s.C

    def value_and_slope(x: Vector) -> tuple[float, Vector]:
        H, C = parts(x)
        found = _point(p, H, C, last[0])
        last[0] = found.Y
        slopes = [*found.slopes, found.consensus_slope / unit] if joint else found.slopes
        return 1.0 + found.value / size, np.concatenate([a.ravel() for a in slopes]) / size

    first = [*s.H, s.C * unit] if joint else s.H
    x = np.concatenate([a.ravel() for a in first])
    H, C = parts(bounded_descent.minimized(value_and_slope, x, STEPS, STEPS))
    return _better(p, s, H, C, last[0], lam)


def _better(
    p: _Views, s: State, H: list[Matrix], C: Matrix, guess: list[Matrix], lam: float
) -> State:
    """Return the state of H, with its best Y for C and their consensus, or s if J is lower at s."""
    Y = _point(p, H, C, guess).Y
    found = State(Y, [_normalized(own)[0] for own in H], agreeing_factors.consensus(Y, p.there))
    # Where components depend on each other, Y is exact only up to rounding, and so is the slope.
    before = agreeing_factors.objective(p.tables, p.there, s, lam)
    after = agreeing_factors.objective(p.tables, p.there, found, lam)
    return found if after <= before else s


def _normalized(H: Matrix) -> tuple[Matrix, Vector]:
    """Return components whose rows sum to 1, and the sums (k,) they were divided by."""
    sums = np.maximum(H.sum(axis=1), LEAST)
    return H / sums[:, None], sums


def _point(p: _Views, H: list[Matrix], C: Matrix, guess: list[Matrix]) -> _Point:
    """Evaluate the objective at H and C, with the best memberships found from a guess of them."""
    Y: list[Matrix] = []
    slopes: list[Matrix] = []
    value = 0.0
    consensus_slope = np.zeros_like(C)
    for X, own, o, start in zip(p.tables, H, p.there.T, guess, strict=True):
        N, sums = _normalized(own)
        target = C * o[:, None]
        A = N @ N.T + p.pull * np.eye(len(N))
        B = operators.times(X, N.T) + p.pull * target
        best = nonnegative.least_squares(A, B, start)
        value += float(np.sum(best * (best @ A - 2.0 * B)) + p.pull * np.sum(np.square(target)))
        slope = 2.0 * ((best.T @ best) @ N - operators.crossed(best, X))
        # J does not change with the length of a row of H, only with its direction.
        slopes.append((slope - np.sum(slope * N, axis=1, keepdims=True)) / sums[:, None])
        consensus_slope += 2.0 * p.pull * (target - best * o[:, None])
        Y.append(best)
    return _Point(Y, value, slopes, consensus_slope)
