"""Update steps of MultiNMF: one non-negative factorization per view, drawn to a consensus.

Equation numbers and symbols are those of `kinfolk.methods.multiview.joint_nonnegative`: `tables`
are the X_v (n, d_v), `lam` is lambda, and `there` (n, V) is o, which is 1 where a row has a view.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import distances, nonnegative, operators

SAME = 1e-13
"""Squared distances below this share of the squared lengths are 0 but for rounding."""

PASSES = 2
"""Updates of every column of Y before the products with the table are computed again."""


class State(NamedTuple):
    """Memberships Y (n, k) and components H (k, d_v) of each view, and their consensus C (n, k)."""

    Y: list[Matrix]
    H: list[Matrix]
    C: Matrix


def objective(tables: Sequence[Table], there: Matrix, s: State, lam: float) -> float:
    """Return the objective of MultiNMF: reconstruction errors plus distances to the consensus."""
    J = 0.0
    for X, Y, H, o in zip(tables, s.Y, s.H, there.T, strict=True):
        size = distances.squared_norms(X).sum()
        fit = size - 2.0 * np.sum(Y * operators.times(X, H.T)) + np.sum((Y.T @ Y) * (H @ H.T))
        apart = np.sum(np.square(Y * H.sum(axis=1) - s.C) * o[:, None])
        J += (fit if fit > SAME * size else 0.0) + lam * (apart if apart > SAME * size else 0.0)
    return float(J)


def consensus(Y: Sequence[Matrix], there: Matrix) -> Matrix:
    """Return the consensus C (n, k): the mean of the memberships of the views that each row has.

    >>> consensus([np.array([[2.0]]), np.array([[4.0]])], np.array([[1.0, 1.0]]))
    array([[3.]])
    """
    parts = [Yv * o[:, None] for Yv, o in zip(Y, there.T, strict=True)]
    found: Matrix = np.add.reduce(parts) / there.sum(axis=1)[:, None]
    return found


def exact_sweep(tables: Sequence[Table], there: Matrix, s: State, lam: float) -> State:
    """Update H and Y of each view by exact coordinate minimization, then the consensus C."""
    H = []
    Y = []
    for X, Yv, Hv, o in zip(tables, s.Y, s.H, there.T, strict=True):
        Hv = _components(X, Yv, Hv, s.C, lam)
        Hv, Yv = _unit(Hv, Yv)
        H.append(Hv)
        Y.append(_rows(X, Hv, s.C, o, lam, Yv))
    return State(Y, H, consensus(Y, there))


def multiplicative_sweep(
    tables: Sequence[Table], there: Matrix, s: State, lam: float, inner: int
) -> State:
    """Update H and Y of each view by `inner` multiplicative steps, then the consensus C."""
    H = []
    Y = []
    for X, Yv, Hv, o in zip(tables, s.Y, s.H, there.T, strict=True):
        C = s.C * o[:, None]
        for _ in range(inner):
            crossed = operators.crossed(Yv, X)
            pull = lam * np.sum(Yv * C, axis=0)[:, None]
            size = lam * (Hv.sum(axis=1) * np.sum(np.square(Yv), axis=0))[:, None]
            Hv = Hv * nonnegative.ratio(crossed + pull, (Yv.T @ Yv) @ Hv + size, 1.0)  # (5)
            Hv, Yv = _unit(Hv, Yv)
            up = operators.times(X, Hv.T) + lam * C
            Yv = Yv * nonnegative.ratio(up, Yv @ (Hv @ Hv.T) + lam * Yv, 1.0)  # (6)
        H.append(Hv)
        Y.append(Yv)
    return State(Y, H, consensus(Y, there))


def lifted_sum(t: Vector, lam: float) -> float:
    """Solve s = sum_j max(t_j - lam s, 0) for s >= 0.

    >>> lifted_sum(np.array([1.0, 3.0, -2.0]), 0.5)
    2.0
    """
    down = np.sort(t)[::-1]
    # With the m largest entries positive s is their sum over 1 + m lam; the largest s is right.
    sums = np.cumsum(down) / (1.0 + lam * np.arange(1, len(t) + 1))
    return float(max(sums.max(), 0.0))


def best_consensus(
    tables: Sequence[Table], there: Matrix, H: Sequence[Matrix], lam: float
) -> Matrix:
    """Return the consensus C (n, k) that is optimal together with each view's Y, for given H_v.

    One non-negative problem in the Y_v of a row side by side: C is their mean (4).
    """
    C = np.zeros((there.shape[0], len(H[0])))
    for pattern in np.unique(there, axis=0):
        rows = np.flatnonzero((there == pattern).all(axis=1))
        own: list[int] = np.flatnonzero(pattern).tolist()
        C[rows] = _best_consensus([tables[v][rows] for v in own], [H[v] for v in own], lam)
    return C


def _best_consensus(tables: list[Table], H: list[Matrix], lam: float) -> Matrix:
    """Return the optimal consensus of rows that have all of these views."""
    k = len(H[0])
    V = len(H)
    A = np.kron(np.eye(V) - np.full((V, V), 1.0 / V), lam * np.eye(k))
    B = np.zeros((tables[0].shape[0], V * k))
    guess = np.zeros_like(B)
    for v, (X, Hv) in enumerate(zip(tables, H, strict=True)):
        place = slice(v * k, (v + 1) * k)
        A[place, place] += Hv @ Hv.T
        B[:, place] = operators.times(X, Hv.T)
        # From each view alone, so that the guess of a row depends on no other row.
        guess[:, place] = nonnegative.least_squares(Hv @ Hv.T, B[:, place])
    Y = guess if V == 1 else nonnegative.least_squares(A, B, guess)
    return Y.reshape(-1, V, k).mean(axis=1)


def _components(X: Table, Y: Matrix, H: Matrix, C: Matrix, lam: float) -> Matrix:
    """Minimize J over the rows of H (k, d) one after the other (block coordinate descent)."""
    G = Y.T @ Y
    crossed = operators.crossed(Y, X)
    b = np.sum(Y * C, axis=0)
    H = H.copy()
    for j in np.flatnonzero(np.diagonal(G) > 0):
        g = crossed[j] - G[j] @ H + G[j, j] * H[j]
        t = (g + lam * b[j]) / G[j, j]
        H[j] = np.maximum(t - lam * lifted_sum(t, lam), 0.0)  # (2)
    return H


def _unit(H: Matrix, Y: Matrix) -> tuple[Matrix, Matrix]:
    """Scale the rows of H to sum 1, and the columns of Y inversely, so that YH stays the same."""
    sums = H.sum(axis=1)
    # A row of zeros adds nothing to X; it may be anything if its column of Y is 0.
    equal = np.full_like(H, 1.0 / H.shape[1])
    return np.divide(H, sums[:, None], out=equal, where=sums[:, None] > 0), Y * sums


def _rows(X: Table, H: Matrix, C: Matrix, o: Vector, lam: float, Y: Matrix) -> Matrix:
    """Minimize J over the columns of Y (n, k) in turn, `PASSES` times; 0 in rows without the view.

    Each column is at its best for the others: that costs far less than the best Y as a whole, which
    H would change at once.
    """
    G = H @ H.T + lam * np.eye(len(H))
    B = operators.times(X, H.T) + lam * C
    Y = Y.copy()
    for _ in range(PASSES):
        for j in np.flatnonzero(np.diagonal(G) > 0):
            Y[:, j] = np.maximum(Y[:, j] + (B[:, j] - Y @ G[:, j]) / G[j, j], 0.0)
    return Y * o[:, None]
