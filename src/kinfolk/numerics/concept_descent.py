"""Concepts of several views and the memberships that go with them, by a quasi-Newton descent.

For rows X_v of each view, memberships Y of the same rows and concepts C_v = G_v'X_v, minimise

    J(Y, G) = sum_v a_v |X_v - Y C_v|_F^2 + sum_j m_j^2 Y_j'R Y_j,   R = beta (I - P) + gamma L

over Y, G >= 0, where P Y has for each row the mean of its cluster in Y, so that beta pulls rows
towards the centres of their clusters, which move along with them; and where m_j^2 is 1, or
sum_v w_v |C_vj|^2, which makes J free of the scale of Y.
For given G the best Y is found exactly, so that J depends on G alone: its slope is that at fixed Y
(the envelope theorem),

    dJ/dG_v = 2 a_v K_v (G_v Y'Y - Y) + 2 w_v K_v G_v diag(Y'R Y),

and L-BFGS-B descends along it. The multiplicative steps, and exact steps for Y and G in turn, take
many times as many products with K_v to the same J, since Y and G can only move together.

Symbols     K_v = X_v X_v' (n, n), Y and G_v (n, r), L = D - S of `graphs`, P (n, n), a and w
            (views,).
Exact       where R = 0 each row of Y is a non-negative least squares problem of its own; else Y is
            found by conjugate gradients, from the last Y, as far as `Inner` says.
Source      variable projection: Golub, Pereyra (1973). L-BFGS-B: Byrd, Lu, Nocedal, Zhu (1995).
            Conjugate gradients over x >= 0: Dostal, Schoeberl (2005), MPRGP.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import Bounds, minimize

from kinfolk.arrays import Matrix, Vector
from kinfolk.numerics import concepts, nonnegative
from kinfolk.numerics.concepts import GramKernel
from kinfolk.numerics.graphs import NeighborGraph

STEPS = 20
"""Steps of L-BFGS-B for G; fewer lose its memory too often, more are rarely needed."""


class Inner(NamedTuple):
    """End of the steps for Y where R links its rows.

    `steps` is the most of them; `slope` the squared slope that may be left, as a share of that at
    Y = 0.
    """

    steps: int = 100
    slope: float = 1e-10


PRECISE = Inner()
"""The end for a descent that stops where no step lowers J."""

ROUNDING = 1e-9
"""A share of the size of a table that may be left by rounding."""


class Rough(NamedTuple):
    """The matrix R: beta, clusters as indicators (n, k) or None; gamma and the graph or None."""

    beta: float = 0.0
    indicator: Matrix | None = None
    gamma: float = 0.0
    graph: NeighborGraph | None = None

    def times(self, Y: Matrix) -> Matrix:
        """R Y.

        >>> together = np.ones((2, 1))
        >>> Rough(2.0, together).times(np.array([[1.0], [3.0]])).ravel()
        array([-2.,  2.])
        """
        RY = np.zeros_like(Y)
        if self.indicator is not None:
            sizes = np.maximum(self.indicator.sum(axis=0), 1.0)
            centers = (self.indicator.T @ Y) / sizes[:, None]
            RY += self.beta * (Y - self.indicator @ centers)
        if self.graph is not None:
            RY += self.gamma * (self.graph.degrees[:, None] * Y - self.graph.S @ Y)
        return RY

    @property
    def diagonal(self) -> Vector | float:
        """The diagonal of R, or a bound on it."""
        own = 0.0 if self.indicator is None else self.beta
        return own if self.graph is None else own + self.gamma * self.graph.degrees

    @property
    def nothing(self) -> bool:
        """True if R is 0."""
        clusters = self.indicator is not None and self.beta > 0
        return not clusters and (self.graph is None or self.gamma == 0)


class Factorization(NamedTuple):
    """Parameters of J: kernels, a, w or None where m is 1, and R."""

    kernels: list[GramKernel]
    weights: Vector
    shares: Vector | None
    rough: Rough


class _Point(NamedTuple):
    """Y at its best for G, the products K_v G_v, J less its constant part, and the slopes."""

    Y: Matrix
    value: float
    slopes: list[Matrix]


def descend(
    p: Factorization, Y: Matrix, G: list[Matrix], steps: int = STEPS, inner: Inner = PRECISE
) -> tuple[Matrix, list[Matrix]]:
    """Take steps that lower J from Y and G; return both, Y being the best for G.

    >>> X = np.array([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0]])
    >>> p = Factorization([GramKernel(X)], np.ones(1), None, Rough())
    >>> Y, (G,) = descend(p, np.ones((3, 2)), [np.array([[1.0, 0.1], [1.0, 0.1], [0.1, 1.0]])])
    >>> (Y @ G.T @ X).round(3)
    array([[1. , 0. ],
           [2. , 0.1],
           [0. , 1. ]])
    """
    size = sum(a * K.squared_norms.sum() for a, K in zip(p.weights, p.kernels, strict=True))
    first = _point(p, Y, G, inner)
    if not size > 0:
        return first.Y, G
    units = _units(p, G)
    shape = Y.shape
    last = [first.Y]  # the guess for the next Y

    def factors(x: Vector) -> list[Matrix]:
        return [g.reshape(shape) / u for g, u in zip(np.split(x, len(G)), units, strict=True)]

    def value_and_slope(x: Vector) -> tuple[float, Vector]:
        found = _point(p, last[0], factors(x), inner)
        last[0] = found.Y
        slopes = [(s / u).ravel() for s, u in zip(found.slopes, units, strict=True)]
        return found.value / size, np.concatenate(slopes) / size

    x = np.concatenate([(g * u).ravel() for g, u in zip(G, units, strict=True)])
    found = _minimized(value_and_slope, x, steps)
    better = factors(found)
    end = _point(p, last[0], better, inner)
    # Where concepts depend on each other, Y is exact only up to rounding, and so is the slope.
    return (end.Y, better) if end.value <= first.value else (first.Y, G)


def lengths(p: Factorization, G: list[Matrix], KG: list[Matrix]) -> Vector:
    """Return m^2 (r,): ones, or the squared lengths of the concepts, weighted by views."""
    if p.shares is None:
        return np.ones(G[0].shape[1])
    squares = [np.sum(g * kg, axis=0) for g, kg in zip(G, KG, strict=True)]
    return np.maximum(p.shares @ np.array(squares), 0.0)


def _units(p: Factorization, G: list[Matrix]) -> list[Matrix]:
    """Return what G_v is multiplied by so that its entries are of one size: row over concept."""
    units: list[Matrix] = []
    for K, g in zip(p.kernels, G, strict=True):
        rows = np.sqrt(K.squared_norms)
        columns = np.sqrt(np.maximum(np.sum(g * K.times(g), axis=0), 0.0))
        rows = np.where(rows > 0, rows, 1.0)
        columns = np.where(columns > 0, columns, 1.0)
        units.append(rows[:, None] / columns)
    return units


def _point(p: Factorization, Y: Matrix, G: list[Matrix], inner: Inner) -> _Point:
    KG = [K.times(g) for K, g in zip(p.kernels, G, strict=True)]
    m = lengths(p, G, KG)
    A = np.zeros((len(m), len(m)))
    B = np.zeros_like(Y)
    for a, g, kg in zip(p.weights, G, KG, strict=True):
        A += a * concepts.gram(g, kg)
        B += a * kg
    Y = best_memberships(A, B, p.rough, m, Y, inner)
    cost = np.maximum(np.sum(Y * p.rough.times(Y), axis=0), 0.0)
    Q = Y.T @ Y
    value = np.sum(A * Q) - 2.0 * np.sum(B * Y) + m @ cost
    slopes = []
    for v, (K, a, kg) in enumerate(zip(p.kernels, p.weights, KG, strict=True)):
        slope = 2.0 * a * (kg @ Q - K.times(Y))
        slopes.append(slope if p.shares is None else slope + 2.0 * p.shares[v] * kg * cost)
    return _Point(Y, float(value), slopes)


def best_memberships(
    A: Matrix, B: Matrix, rough: Rough, m: Vector, start: Matrix, inner: Inner = PRECISE
) -> Matrix:
    """Minimise <A, Y'Y> + sum_j m_j Y_j'R Y_j - 2 <B, Y> over Y (n, r) >= 0.

    >>> best_memberships(
    ...     np.eye(1), np.array([[2.0], [-1.0]]), Rough(), np.ones(1), np.zeros((2, 1))
    ... )
    array([[2.],
           [0.]])
    """
    if rough.nothing:
        return nonnegative.least_squares(A, B, start)
    largest = np.sqrt(np.diagonal(A) + np.outer(rough.diagonal * np.ones(len(B)), m))
    unit = np.where(largest > 0, largest, 1.0)
    size = np.sum(np.square(B / unit))
    if not size > 0:
        return np.zeros_like(B)

    def curvature(Z: Matrix) -> Matrix:
        V = Z / unit
        return (V @ A + m * rough.times(V)) / unit

    # Each part of the scaled matrix is at most its diagonal times the larger of these bounds.
    width = np.sqrt(np.diagonal(A))
    width = np.where(width > 0, width, 1.0)
    most = max(2.0, float(np.linalg.norm(A / np.outer(width, width), 2)))
    end = Inner(inner.steps, inner.slope * float(size))
    return conjugate_gradients(curvature, B / unit, start * unit, 1.0 / most, end) / unit


def conjugate_gradients(
    curvature: Callable[[Matrix], Matrix], b: Matrix, x: Matrix, rate: float, end: Inner
) -> Matrix:
    """Minimise <x, H x> / 2 - <b, x> over x >= 0 from x, by at most `end.steps` products H x.

    H is positive semidefinite and at most I / rate. Each step lowers the value, until the squared
    slope is at most `end.slope`.

    >>> H = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> b = np.array([3.0, 1.0])
    >>> conjugate_gradients(lambda x: H @ x, b, np.ones(2), 1 / 3, Inner(slope=1e-20)).round(6)
    array([1.5, 0. ])
    """
    slope = curvature(x) - b
    free = np.where(x > 0, slope, 0.0)
    along = free
    for _ in range(end.steps):
        held = np.where(x > 0, 0.0, np.minimum(slope, 0.0))
        inside = np.vdot(free, free)
        outside = np.vdot(held, held)
        if inside + outside <= end.slope:
            break
        # Entries at 0 are let go once the others are nearly settled, and then all at once.
        release = outside > inside
        if release:
            along = held
        change = curvature(along)
        bend = np.vdot(along, change)
        best = np.vdot(slope, along) / bend if bend > 0 else np.inf
        falling = along > 0
        reach = np.min(x[falling] / along[falling]) if falling.any() else np.inf
        if not np.isfinite(min(best, reach)):
            break
        x = np.maximum(x - min(best, reach) * along, 0.0)
        slope = slope - min(best, reach) * change
        free = np.where(x > 0, slope, 0.0)
        if best > reach:  # some entries come to 0: a step that may bring more there
            x = np.maximum(x - rate * free, 0.0)
            slope = curvature(x) - b
            free = np.where(x > 0, slope, 0.0)
        again = release or best > reach
        along = free - (0.0 if again else np.vdot(free, change) / bend) * along
    return x


def _minimized(
    value_and_slope: Callable[[Vector], tuple[float, Vector]], x: Vector, steps: int
) -> Vector:
    """Take steps of L-BFGS-B over x >= 0."""
    settings: Any = {"maxiter": steps, "ftol": 0.0, "gtol": 0.0}
    search: Any = minimize
    bounds = Bounds(0.0, np.inf)
    found = search(value_and_slope, x, jac=True, method="L-BFGS-B", bounds=bounds, options=settings)
    # Rounding may leave it a little below 0.
    return np.maximum(found.x, 0.0)
