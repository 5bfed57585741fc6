"""Clusters tasks with own centers in all features plus shared centers in one subspace (LSSMTC).

The objective and its exact block updates that LSSMTC and LSSTTC have in common. Equation numbers
and symbols are those of `kinfolk.methods.multitask.shared_subspace`, where the method is described.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import distances, operators, seminonnegative
from kinfolk.numerics.subspaces import FirstColumns, Subspace


class Shared(NamedTuple):
    """Subspace W (d, l) and the tasks' shared centers F (k, l) in it."""

    W: Matrix
    F: Matrix


class Problem(NamedTuple):
    """Constants of the objective: tables, their rows, |X|_F^2, lambda, and the rule for W.

    `free` (n,) marks the rows whose memberships are sought; the others keep theirs. Unless `mixed`,
    exact memberships have one entry per row. With `held` W and F are these, and not sought.
    """

    tables: list[Table]
    rows: list[np.ndarray]
    size: float
    own_weight: float
    subspace: Subspace
    free: np.ndarray
    mixed: bool = True
    held: Shared | None = None


class State(NamedTuple):
    """Memberships Y, own centers V (T, k, d), subspace W, shared centers F, and cached products."""

    Y: Matrix
    V: Matrix
    W: Matrix
    F: Matrix
    XV: Matrix
    XW: Matrix


def problem(
    X: Table,
    rows: Sequence[np.ndarray],
    own_weight: float = 1.0,
    subspace: Subspace | None = None,
    free: np.ndarray | None = None,
    mixed: bool = True,
) -> Problem:
    """Set up the objective for these tasks; by default no shared subspace, all rows free."""
    free = np.ones(X.shape[0], dtype=bool) if free is None else free
    size = float(distances.squared_norms(X).sum())
    subspace = FirstColumns(X, 0) if subspace is None else subspace
    return Problem([X[r] for r in rows], list(rows), size, own_weight, subspace, free, mixed)


def initial_memberships(
    X: Table,
    tasks: Sequence[np.ndarray],
    k: int,
    seed: int,
    init: str,
    offset: float,
    weight: Vector | None = None,
) -> Matrix:
    """First memberships Y (n, k) of each task by itself, random or from k-means.

    `tasks` has the rows of each; with weights (n,) of the rows it is D^1/2 Y (`weighted_rows`).
    """
    Y = np.empty((X.shape[0], k))
    for rows in tasks:
        own = None if weight is None else weight[rows]
        Y[rows] = seminonnegative.initial_memberships(X[rows], k, seed, init, offset, own)
    return Y


def best_centers(p: Problem, Y: Matrix) -> State:
    """Compute the own centers, subspace and shared centers that are optimal for Y.

    W and F are those of the problem if it holds them.

    >>> X = np.array([[1.0, 0.0], [3.0, 0.0], [0.0, 5.0]])
    >>> s = best_centers(problem(X, [np.arange(3)]), np.array([[1.0, 0], [1, 0], [0, 1]]))
    >>> s.V
    array([[[2., 0.],
            [0., 5.]]])
    """
    V = []
    XV = np.empty_like(Y)
    for X, rows in zip(p.tables, p.rows, strict=True):
        own = seminonnegative.orthonormal_basis(Y[rows])
        V.append(own.C @ operators.crossed(X, own.O).T)  # (8)
        XV[rows] = operators.times(X, V[-1].T)
    W, F, XW = _shared(p, Y)
    return State(Y, np.array(V), W, F, XV, XW)


def _shared(p: Problem, Y: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Optimal subspace W, shared centers F and projected rows X W (n, l), for memberships Y."""
    if p.held is not None:
        W, F = p.held
        return W, F, _by_task(p, W)
    # One orthonormal basis O of Y serves both: Y Y^+ = O O' and Y^+ = C O'.
    O, C = seminonnegative.orthonormal_basis(Y)
    XO = np.zeros((p.tables[0].shape[1], O.shape[1]))
    for X, rows in zip(p.tables, p.rows, strict=True):
        XO += operators.crossed(X, O[rows])
    W = p.subspace(XO)  # (16)
    XW = _by_task(p, W)
    return W, C @ (O.T @ XW), XW  # (6)


def _by_task(p: Problem, W: Matrix) -> Matrix:
    """Project the rows of all tasks on the subspace, X W (n, l)."""
    XW = np.empty((len(p.free), W.shape[1]))
    for X, rows in zip(p.tables, p.rows, strict=True):
        XW[rows] = operators.times(X, W)
    return XW


def own_error(p: Problem, s: State) -> float:
    """Reconstruction error sum_t |X_t - Y_t V_t|^2 of the tasks' own centers."""
    # |X - Y V|^2 = |X|^2 - 2 tr(Y'XV') + tr(VV' Y'Y) needs no (n, d) residual.
    own = p.size - 2.0 * np.sum(s.Y * s.XV)
    for V, rows in zip(s.V, p.rows, strict=True):
        own += np.sum((V @ V.T) * (s.Y[rows].T @ s.Y[rows]))
    return float(own)


def objective(p: Problem, s: State) -> float:
    """Weighted reconstruction error by own centers and, in the subspace, by shared centers."""
    own = own_error(p, s)
    shared = np.sum(np.square(s.XW - s.Y @ s.F))
    if p.subspace.counts_rest:
        shared += p.size - np.sum(np.square(s.XW))
    shared += p.subspace.price(s.W)
    J = p.own_weight * own + (1.0 - p.own_weight) * shared
    return seminonnegative.zero_if_rounding(float(J), p.size)


def sweep(p: Problem, s: State) -> State:
    """Multiplicative update of the memberships, then optimal centers and subspace."""
    Y = np.empty_like(s.Y)
    across = s.XW @ s.F.T
    for V, rows in zip(s.V, p.rows, strict=True):
        A, B = _row_problem(s.XV[rows], across[rows], V, s.F, p.own_weight)
        Y[rows] = seminonnegative.step(s.Y[rows], A, B)  # (14)
    Y[~p.free] = s.Y[~p.free]  # (20)
    return best_centers(p, Y)


def with_best_memberships(p: Problem, s: State) -> State:
    """Replace the memberships of free rows by the optimal ones for these centers."""
    Y = s.Y.copy()
    across = s.XW @ s.F.T
    for V, task in zip(s.V, p.rows, strict=True):
        rows = task[p.free[task]]  # (20)
        A, B = _row_problem(s.XV[rows], across[rows], V, s.F, p.own_weight)
        Y[rows] = seminonnegative.best_rows(A, B, p.mixed, s.Y[rows]).Y
    return s._replace(Y=Y)


def exact_sweep(p: Problem, Y: Matrix) -> State:
    """Compute optimal centers and subspace for Y, then optimal memberships for them."""
    return with_best_memberships(p, best_centers(p, Y))


def exact_sweeps(p: Problem, s: State) -> State:
    """Do two exact sweeps, and a third from an extrapolated point if that is lower."""
    return seminonnegative.extrapolated(
        s, lambda Y: exact_sweep(p, Y), lambda state: objective(p, state)
    )


def best_rows(
    X: Table, V: Matrix, W: Matrix, F: Matrix, own_weight: float, mixed: bool
) -> seminonnegative.RowMemberships:
    """Optimal memberships of new rows X (m, d) for given centers, and the cluster of each.

    V (k, d) are the centers of the task the rows X (m, d) belong to.
    """
    XV = operators.times(X, V.T)
    across = operators.times(X, W @ F.T)
    A, B = _row_problem(XV, across, V, F, own_weight)
    return seminonnegative.best_rows(A, B, mixed)


def _row_problem(
    XV: Matrix, across: Matrix, V: Matrix, F: Matrix, lam: float
) -> tuple[Matrix, Matrix]:
    """A (m, k) and B (k, k) of the quadratic objective of each row's memberships."""
    A = lam * XV + (1.0 - lam) * across
    B = lam * (V @ V.T) + (1.0 - lam) * (F @ F.T)
    return A, B
