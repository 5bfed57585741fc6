"""Update steps for the symmetric factorization M ~ Y Y' with memberships Y >= 0.

With a target Q and its weight lambda >= 0 (both may be left out) minimize

    f(Y) = 1/2 |M - Y Y'|_F^2 + lambda |Y - Q|_F^2   over Y >= 0,                 (F)

whose gradient is 2 (Y G - B) with

    G = Y'Y + lambda I,   B = M Y + lambda Q.

The exact step solves the problem of each row y with the other rows as they are,

    h = argmin y'Gy - 2 b'y   over y >= 0,                                        (R)

and goes from Y towards H, with a share of the last direction added, as far as f falls most: along
a line f is a polynomial of fourth degree. D = H - Y has <gradient, D> <= -2 tr(D G D'), so f falls
unless D = 0. Where D = 0, each row is its own (R), which is also how a new row is assigned.

Symbols  M (n, n) symmetric, Y, Q, D, H (n, k), G (k, k), B (n, k).
Source   the multiplicative step is that of Zhang, Zhang, Liu (2019), equation (25); rows by
         least squares as in Kuang, Yun, Park (2015); the share of the last direction is that of
         Polak, Ribiere (1969).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Matrix, Vector
from kinfolk.numerics import nonnegative
from kinfolk.numerics.operators import Symmetric

REAL = 1e-9
"""Roots of a polynomial are real if their imaginary part is below this share of their size."""

ROUNDING = 1e-12
"""Memberships below this share of the largest of their row are 0."""


def multiplicative_step(
    Y: Matrix, PY: Matrix, NY: Matrix | None, gram: Matrix | None = None
) -> Matrix:
    """One multiplicative update of Y >= 0 for |M - Y Y'|_F^2, from products with M.

    For non-negative M (N = 0) the published step Y o sqrt( MY / (Y Y'Y) ). Otherwise
    Y o ( PY / (NY + Y Y'Y) )^(1/4): bounding u^2 by (u^4 + 1)/2 puts N into the quartic majoriser
    of Y Y'Y, whose minimizer has this fourth root. `gram` is Y'Y (k, k), if it is known.

    >>> Y = np.array([[1.0], [1.0]])
    >>> multiplicative_step(Y, np.full((2, 1), 8.0), None)
    array([[2.],
           [2.]])
    """
    cubic = Y @ (Y.T @ Y if gram is None else gram)
    if NY is not None:
        cubic += NY
    step = nonnegative.ratio(PY, cubic, 0.0)
    step = np.sqrt(step, out=step)
    return Y * (step if NY is None else np.sqrt(step, out=step))


class Factor(NamedTuple):
    """Memberships Y (n, k) with their products P Y and N Y for M = P - N.

    NY is None where M is non-negative. The objective and the next step both need Y'Y (k, k).
    """

    Y: Matrix
    PY: Matrix
    NY: Matrix | None
    gram: Matrix | None = None

    @property
    def product(self) -> Matrix:
        """The product M Y (n, k)."""
        return self.PY if self.NY is None else self.PY - self.NY


def factor(M: Symmetric, Y: Matrix) -> Factor:
    """Compute the products of M with Y, and store them beside Y.

    >>> from kinfolk.numerics.operators import Explicit
    >>> factor(Explicit(np.array([[2.0, 1.0], [1.0, 2.0]])), np.array([[1.0], [3.0]])).PY
    array([[5.],
           [7.]])
    """
    return Factor(Y, *M.parts(Y), Y.T @ Y)


def multiplicative_sweep(M: Symmetric, s: Factor) -> Factor:
    """One multiplicative update, with the products of M and the new Y."""
    return factor(M, multiplicative_step(s.Y, s.PY, s.NY, s.gram))


class Step(NamedTuple):
    """Last step of a descent, by block: D = H - Y, half the gradient before it, direction T."""

    D: tuple[Matrix, ...]
    slope: tuple[Matrix, ...]
    T: tuple[Matrix, ...]


class Point(NamedTuple):
    """Memberships Y (n, k) with the product M Y and the step that led there."""

    Y: Matrix
    product: Matrix
    last: Step | None = None


def point(M: Symmetric, Y: Matrix) -> Point:
    """Compute the product M Y, and store it beside Y."""
    return Point(Y, M.times(Y))


def gram_of(s: Factor | Point) -> Matrix:
    """Gram matrix Y'Y (k, k) of a point, computed unless it is stored."""
    return s.Y.T @ s.Y if isinstance(s, Point) or s.gram is None else s.gram


def objective(squared_norm: float, s: Factor | Point) -> float:
    """Squared error |M - Y Y'|_F^2 of the factorization, given |M|_F^2.

    >>> objective(4.0, Point(np.array([[1.0], [1.0]]), np.array([[2.0], [2.0]])))
    0.0
    """
    gram = gram_of(s)
    return float(squared_norm - 2.0 * np.vdot(s.Y, s.product) + np.vdot(gram, gram))


def exact_sweep(M: Symmetric, s: Point, lam: float = 0.0, Q: Matrix | None = None) -> Point:
    """Solve each row's non-negative problem, then search along the direction to the solutions.

    >>> from kinfolk.numerics.operators import Explicit
    >>> exact_sweep(Explicit(np.full((2, 2), 4.0)), Point(np.ones((2, 1)), np.full((2, 1), 8.0))).Y
    array([[2.],
           [2.]])
    """
    G, B = row_problem(s, lam, Q)
    D = (nonnegative.least_squares(G, B, s.Y) - s.Y,)  # (R)
    slope = (s.Y @ G - B,)
    for T in directions((s.Y,), D, slope, s.last):
        MT = M.times(T[0])
        step = lowest(change(s.Y, slope[0], T[0], MT, lam), longest(s.Y, T[0]))
        return Point(moved(s.Y, step * T[0]), s.product + step * MT, Step(D, slope, T))
    return s


def row_problem(s: Point, lam: float, Q: Matrix | None) -> tuple[Matrix, Matrix]:
    """G (k, k) and B (n, k) of each row's quadratic problem y'Gy - 2 b'y, y >= 0."""
    G = s.Y.T @ s.Y
    if Q is None:
        return G, s.product
    return G + lam * np.eye(len(G)), s.product + lam * Q


def directions(
    Y: Sequence[Matrix | None], D: Sequence[Matrix], slope: Sequence[Matrix], last: Step | None
) -> list[tuple[Matrix, ...]]:
    """Candidate descent directions, the best first; empty at a minimum.

    D plus a share of the last direction, cut so that Y + T >= 0, comes before D itself. All are
    given block by block; blocks with Y None have any sign.

    >>> one = np.ones((1, 1))
    >>> directions([None], [one], [-one], Step((2 * one,), (-2 * one,), (4 * one,)))
    [(array([[1.]]),)]
    """
    found = [tuple(D)]
    if last is not None:
        share = -_product(D, slope) + _product(D, last.slope)  # Polak, Ribiere
        before = -_product(last.D, last.slope)
        if share > 0 and before > 0:
            steps = [d + share / before * t for d, t in zip(D, last.T, strict=True)]
            found.insert(0, tuple(_cut(y, t) for y, t in zip(Y, steps, strict=True)))
    return [T for T in found if _product(slope, T) < 0]


def _cut(Y: Matrix | None, T: Matrix) -> Matrix:
    return T if Y is None else np.maximum(Y + T, 0.0) - Y


def _product(A: Sequence[Matrix], B: Sequence[Matrix]) -> float:
    return float(sum(np.vdot(a, b) for a, b in zip(A, B, strict=True)))


def change(Y: Matrix, slope: Matrix, T: Matrix, MT: Matrix, lam: float) -> Vector:
    """Coefficients of the quartic change of f in (F) along Y + s T, for s to s^4.

    `slope` is half the gradient, Y G - B.

    >>> one = np.ones((1, 1))
    >>> change(one, -3 * one, one, 4 * one, 0.0)  # (4 - (1 + s)^2)^2 / 2 - 9 / 2
    array([-6. , -1. ,  2. ,  0.5])
    """
    crossed = Y.T @ T
    linear = crossed + crossed.T
    square = T.T @ T
    quadratic = 0.5 * np.vdot(linear, linear) + np.vdot(Y.T @ Y, square) - np.vdot(T, MT)
    quadratic += lam * np.trace(square)
    cubic = np.vdot(linear, square)
    return np.array([2.0 * np.vdot(slope, T), quadratic, cubic, 0.5 * np.vdot(square, square)])


def moved(Y: Matrix, step: Matrix) -> Matrix:
    """Add the step to Y, with 0 for entries that are rounding beside the largest of their row.

    >>> moved(np.array([[0.3, 1.0]]), np.array([[-0.1 - 0.2, 1.0]]))
    array([[0., 2.]])
    """
    # Such a rest would limit the next step, by how much is up to rounding.
    end = Y + step
    return np.where(end > ROUNDING * end.max(axis=1, keepdims=True), end, 0.0)


def longest(Y: Matrix, T: Matrix) -> float:
    """Largest step s with Y + s T >= 0; inf where T >= 0.

    >>> longest(np.array([[1.0, 3.0]]), np.array([[-1.0, -2.0]]))
    1.0
    """
    falls = T < 0
    return float(np.min(Y[falls] / -T[falls], initial=np.inf))


def lowest(c: Vector, limit: float) -> float:
    """Minimizer in [0, limit] of the quartic c[0] s + c[1] s^2 + c[2] s^3 + c[3] s^4.

    Without a limit c[3] > 0.

    >>> lowest(np.array([-6.0, -1.0, 2.0, 0.5]), np.inf)
    1.0
    >>> lowest(np.array([-1.0, 1.0, 0.0, 0.0]), 0.25)
    0.25
    """
    roots = np.roots(c[::-1] * np.arange(len(c), 0, -1))
    real = roots.real[np.abs(roots.imag) <= REAL * np.abs(roots)]
    # 0 too: at the end of a descent rounding decides the sign of c[0].
    steps = np.append(0.0, real[(real > 0) & (real < limit)])
    if np.isfinite(limit):
        steps = np.append(steps, limit)
    values = np.polyval(np.append(c[::-1], 0.0), steps)
    return float(steps[values.argmin()])
