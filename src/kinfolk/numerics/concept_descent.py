"""Fits concepts and memberships of several views by L-BFGS-B on the concepts.

For rows X_v of each view, memberships Y of the same rows and concepts C_v = G_v'X_v, minimize

    J(Y, G) = sum_v a_v |O_v (X_v - Y C_v)|_F^2 + sum_j m_j^2 Y_j'R Y_j,
    R = beta (I - P) + gamma L

over Y, G >= 0, where P Y has for each row the mean of its cluster in Y, so that beta pulls rows
towards the centers of their clusters, which move along with them; and where m_j^2 is 1, or
sum_v w_v |C_vj|^2, which makes J free of the scale of Y.
For given G the best Y is found exactly, so that J depends on G alone: its slope is that at fixed Y
(the envelope theorem),

    dJ/dG_v = 2 a_v K_v (G_v Y'O_vY - Y) + 2 w_v K_v G_v diag(Y'R Y),

and L-BFGS-B descends along it. The multiplicative steps, and exact steps for Y and G in turn, take
many times as many products with K_v to the same J, since Y and G can only move together.

Symbols     O_v (n, n) is diagonal, 1 for rows that have view v and 0 for others, where X_v is 0;
            K_v = X_v X_v' (n, n), Y and G_v (n, r), L = D - S of `graphs`, P (n, n), a and w
            (views,).
Exact       Y is that of `linked_memberships`.
Source      variable projection: Golub, Pereyra (1973). L-BFGS-B: Byrd, Lu, Nocedal, Zhu (1995).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Matrix, Vector
from kinfolk.numerics import bounded_descent, concepts, linked_memberships, view_patterns
from kinfolk.numerics.concepts import Kernel
from kinfolk.numerics.linked_memberships import PRECISE, Inner, Rough
from kinfolk.numerics.view_patterns import ViewPatterns

STEPS = 20
"""Steps of L-BFGS-B for G; fewer lose its memory too often, more are rarely needed."""


ROUNDING = 1e-9
"""Share of the scatter of a table below which a difference may be rounding."""


class Factorization(NamedTuple):
    """Constants of the objective: kernels of the views, their weights and the penalty on Y.

    `weights` are a, `shares` are w (None: m = 1), `rough` is R, and `patterns` has the views of
    each row. If the tables are D^1/2 X of weighted rows
    (`weighted_rows`), `repeats` (n,) has their weights, so that steps are those of repeated rows.
    """

    kernels: Sequence[Kernel]
    weights: Vector
    shares: Vector | None
    rough: Rough
    patterns: ViewPatterns = view_patterns.EVERYTHING
    repeats: Vector | None = None


class _Point(NamedTuple):
    """Best memberships Y for G, the objective less sum a_v |X_v|^2, and its slope in each G_v."""

    Y: Matrix
    value: float
    slopes: list[Matrix]


def descend(
    p: Factorization, Y: Matrix, G: list[Matrix], steps: int = STEPS, inner: Inner = PRECISE
) -> tuple[Matrix, list[Matrix]]:
    """Lower the objective by L-BFGS-B from Y and G; return both, with Y optimal for G.

    >>> from kinfolk.numerics.concepts import GramKernel
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
    found = bounded_descent.minimized(value_and_slope, x, steps)
    better = factors(found)
    end = _point(p, last[0], better, inner)
    # Where concepts depend on each other, Y is exact only up to rounding, and so is the slope.
    return (end.Y, better) if end.value <= first.value else (first.Y, G)


def lengths(p: Factorization, G: list[Matrix], KG: list[Matrix]) -> Vector:
    """Return penalty factors m^2 (r,): ones, or squared lengths of concepts weighted by views."""
    if p.shares is None:
        return np.ones(G[0].shape[1])
    squares = [np.sum(g * kg, axis=0) for g, kg in zip(G, KG, strict=True)]
    return np.maximum(p.shares @ np.array(squares), 0.0)


def _units(p: Factorization, G: list[Matrix]) -> list[Matrix]:
    """Return scales of the entries of G_v that give the variables of the descent similar size."""
    units: list[Matrix] = []
    for K, g in zip(p.kernels, G, strict=True):
        rows = np.sqrt(K.squared_norms)
        if p.repeats is not None:
            # The lengths of the rows before they were multiplied by the roots of their weights.
            roots = np.sqrt(p.repeats)
            rows = np.divide(rows, roots, out=np.zeros_like(rows), where=roots > 0)
        columns = np.sqrt(np.maximum(np.sum(g * K.times(g), axis=0), 0.0))
        rows = np.where(rows > 0, rows, 1.0)
        columns = np.where(columns > 0, columns, 1.0)
        units.append(rows[:, None] / columns)
    return units


def _point(p: Factorization, Y: Matrix, G: list[Matrix], inner: Inner) -> _Point:
    """Evaluate the objective at G, with the best memberships found from the guess Y."""
    KG = [K.times(g) for K, g in zip(p.kernels, G, strict=True)]
    m = lengths(p, G, KG)
    B = np.zeros_like(Y)
    for a, kg in zip(p.weights, KG, strict=True):
        B += a * kg
    grams = [a * concepts.gram(g, kg) for a, g, kg in zip(p.weights, G, KG, strict=True)]
    A = p.patterns.matrices(grams)
    Y = linked_memberships.best_memberships(A, B, p.rough, m, Y, inner)
    cost = np.maximum(np.sum(Y * p.rough.times(Y), axis=0), 0.0)
    moments = p.patterns.moments(Y, len(G))
    fit = sum(np.sum(gram * Q) for gram, Q in zip(grams, moments, strict=True))
    value = fit - 2.0 * np.sum(B * Y) + m @ cost
    slopes = []
    for v, (K, a, kg, Q) in enumerate(zip(p.kernels, p.weights, KG, moments, strict=True)):
        slope = 2.0 * a * (kg @ Q - K.times(Y))
        slopes.append(slope if p.shares is None else slope + 2.0 * p.shares[v] * kg * cost)
    return _Point(Y, float(value), slopes)
