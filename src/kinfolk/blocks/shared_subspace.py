"""LSSMTC's updates for rows in blocks, by sums over rows.

The objective and the exact sweeps of `numerics.shared_factorization` for rows in blocks. The
memberships of a row are those that are best for the centers c = (V, W, F), so that they are made
anew from the row wherever they are needed, and nothing is held for each row:

    part      of a block at c: Y_t'Y_t (k, k) and Y_t'X_t (k, d) of each task, and the terms of J
    combine   sums
    finish    V_t = (Y_t'Y_t)^+ Y_t'X_t (8), W from X'O (16), F = (Y'Y)^+ Y'X W (6)

Exact    as in memory, one entry per row: Y_t'Y_t is diagonal and its pseudoinverse exact. For the
         third sweep of three, rows get the memberships ahead of those for the last two centers.
Symbols  as in `methods.multitask.shared_subspace`. Weights w of rows multiply their terms.
"""

from typing import Any, NamedTuple

import numpy as np

from kinfolk.arrays import Matrix
from kinfolk.blocks.block import Block
from kinfolk.blocks.blocks import Rows
from kinfolk.numerics import (
    backend,
    distances,
    operators,
    seminonnegative,
    shared_factorization,
)
from kinfolk.numerics.subspaces import Subspace

DEPENDENT = 1e-13
"""Eigenvalues of Y'Y, its columns scaled to length 1, below this share of the largest count as 0.

Sums of squares have no more digits.
"""


class Centers(NamedTuple):
    """Own centers V (T, k, d), subspace W (d, l) and shared centers F (k, l)."""

    V: Matrix
    W: Matrix
    F: Matrix


class Products(NamedTuple):
    """Sums Y_t'Y_t (T, k, k) and Y_t'X_t (T, k, d) per task."""

    YY: Matrix
    YX: Matrix


class Terms(NamedTuple):
    """Products of the best memberships for given centers, and terms of the objective.

    `across` is sum_i y_i V x_i, `apart` |X W - Y F|^2, `inside` |X W|^2.
    """

    products: Products
    across: float
    apart: float
    inside: float


class Steps(NamedTuple):
    """Terms of the objective at the last of three points, and products of the two steps between.

    With steps A, then B, of the memberships, `before` is |A|^2 and `along` is <A, B>.
    """

    terms: Terms
    before: float
    along: float


class State(NamedTuple):
    """Centers, with the products of the best memberships for them."""

    c: Centers
    terms: Terms


class Problem(NamedTuple):
    """Constants of the objective: rows, |X|_F^2, lambda, rule for W, number of tasks."""

    rows: Rows
    size: float
    own_weight: float
    subspace: Subspace
    n_tasks: int


def problem(rows: Rows, own_weight: float, subspace: Subspace, n_tasks: int) -> Problem:
    """Set up the objective for the rows of all tasks."""
    return Problem(rows, float(rows.total(_size)), own_weight, subspace, n_tasks)


def state_at(p: Problem, c: Centers) -> State:
    """Find the best memberships for given centers, and return their products as a state."""
    return State(c, p.rows.total(_terms, c, p.own_weight))


def centers(p: Problem, found: Products) -> Centers:
    """Optimal centers of each task, subspace W, and centers shared in it, from sums over rows."""
    V = []
    for YY, YX in zip(found.YY, found.YX, strict=True):
        M = _basis(YY)
        V.append(M @ (M.T @ YX))  # (8)
    YX = found.YX.sum(axis=0)
    M = _basis(found.YY.sum(axis=0))
    W = p.subspace(YX.T @ M)  # (16)
    return Centers(np.array(V), W, M @ (M.T @ (YX @ W)))  # (6)


def own_error(p: Problem, s: State) -> float:
    """Reconstruction error sum_t |X_t - Y_t V_t|^2 of the tasks' own centers."""
    own = p.size - 2.0 * s.terms.across
    for V, YY in zip(s.c.V, s.terms.products.YY, strict=True):
        own += np.sum((V @ V.T) * YY)
    return float(own)


def objective(p: Problem, s: State) -> float:
    """Weighted reconstruction error by own centers and, in the subspace, by shared ones."""
    shared = s.terms.apart
    if p.subspace.counts_rest:
        shared += p.size - s.terms.inside
    shared += p.subspace.price(s.c.W)
    J = p.own_weight * own_error(p, s) + (1.0 - p.own_weight) * shared
    return seminonnegative.zero_if_rounding(float(J), p.size)


def sweeps(p: Problem, s: State) -> State:
    """Do two exact sweeps, and a third from an extrapolated point if that is lower."""
    first = centers(p, s.terms.products)
    second = centers(p, p.rows.total(_terms, first, p.own_weight).products)
    steps: Steps = p.rows.total(_steps, s.c, first, second, p.own_weight)
    reached = [State(second, steps.terms)]
    r = steps.along / steps.before if steps.before > 0 else 0.0
    if 0 < r < 1:
        ahead = p.rows.total(_ahead, first, second, p.own_weight, r / (1.0 - r))
        reached.append(state_at(p, centers(p, ahead)))
    return min([*reached, s], key=lambda state: objective(p, state))


def memberships(block: Block, c: Centers, own_weight: float) -> Matrix:
    """Best memberships (m, k) of a block's rows, at most one entry per row."""
    Y = np.zeros((block.shape[0], c.V.shape[1]))
    for t, V in enumerate(c.V):
        rows = _rows_of(block, t)
        x = backend.taken(block.x, rows)
        if x.shape[0]:
            Y[rows] = shared_factorization.best_rows(x, V, c.W, c.F, own_weight, False).Y
    return Y


def _size(block: Block) -> float:
    norms = distances.squared_norms(block.x)
    return backend.total(norms, block.weight)


def _rows_of(block: Block, t: int) -> Any:
    return slice(None) if block.codes is None else np.flatnonzero(block.codes == t)


def _weighted(block: Block, Y: Matrix) -> Matrix:
    return Y if block.weight is None else Y * block.weight[:, None]


def _products(block: Block, Y: Matrix, T: int) -> Products:
    """Weighted products of a block's rows and memberships Y (m, k), for each of T tasks."""
    YY = np.zeros((T, Y.shape[1], Y.shape[1]))
    YX = np.zeros((T, Y.shape[1], block.shape[1]))
    wY = _weighted(block, Y)
    for t in range(T):
        rows = _rows_of(block, t)
        YY[t] = Y[rows].T @ wY[rows]
        YX[t] = operators.crossed(backend.taken(block.x, rows), wY[rows]).T
    return Products(YY, YX)


def _terms(block: Block, c: Centers, own_weight: float) -> Terms:
    return _terms_of(block, c, memberships(block, c, own_weight))


def _terms_of(block: Block, c: Centers, Y: Matrix) -> Terms:
    """Products and terms of the objective of a block, at centers c and memberships Y (m, k)."""
    wY = _weighted(block, Y)
    across = 0.0
    for t, V in enumerate(c.V):
        rows = _rows_of(block, t)
        x = backend.taken(block.x, rows)
        across += float(np.sum(wY[rows] * operators.times(x, V.T)))
    XW = operators.times(block.x, c.W)
    apart = np.square(XW - Y @ c.F).sum(axis=1)
    inside = np.square(XW).sum(axis=1)
    weight = np.ones(len(Y)) if block.weight is None else block.weight
    products = _products(block, Y, len(c.V))
    return Terms(products, across, float(weight @ apart), float(weight @ inside))


def _steps(block: Block, a: Centers, b: Centers, c: Centers, own_weight: float) -> Steps:
    """Terms of a block at centers c, and products of the steps of its memberships from a to c."""
    Y = [memberships(block, at, own_weight) for at in (a, b, c)]
    before = Y[1] - Y[0]
    wB = _weighted(block, before)
    terms = _terms_of(block, c, Y[2])
    return Steps(terms, float(np.vdot(wB, before)), float(np.vdot(wB, Y[2] - Y[1])))


def _ahead(block: Block, b: Centers, c: Centers, own_weight: float, ahead: float) -> Products:
    """Products of memberships extrapolated `ahead` steps beyond those for centers c."""
    last = memberships(block, c, own_weight)
    D = last - memberships(block, b, own_weight)
    return _products(block, np.maximum(last + ahead * D, 0.0), len(c.V))


def _basis(YY: Matrix) -> Matrix:
    """Matrix M (k, r) such that Y M has orthonormal columns spanning those of Y."""
    lengths = np.sqrt(np.diagonal(YY))
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    values, vectors = np.linalg.eigh(YY * np.outer(scale, scale))
    kept = values > DEPENDENT * max(values[-1], DEPENDENT)
    M: Matrix = scale[:, None] * vectors[:, kept] / np.sqrt(values[kept])
    return M
