"""Non-negative memberships of rows coupled by cluster means and a graph, for fixed concepts.

Minimize over Y (n, r) >= 0

    sum_i y_i'A_i y_i + sum_j m_j Y_j'R Y_j - 2 <B, Y>,   R = beta (I - P) + gamma L

where P Y has for each row the mean of its cluster in Y, and L is the Laplacian of a graph. Where
R = 0 each row is a non-negative least squares problem of its own; else Y is found by conjugate
gradients from the last Y, as far as `Inner` says.

Symbols     A_i (r, r), mostly one for all rows, B (n, r), m (r,), L = D - S of `graphs`, P (n, n).
Source      conjugate gradients over x >= 0: Dostal, Schoeberl (2005), MPRGP.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Matrix, Vector
from kinfolk.numerics import nonnegative, view_patterns
from kinfolk.numerics.graphs import NeighborGraph
from kinfolk.numerics.view_patterns import RowMatrices


class Inner(NamedTuple):
    """Stopping rule of the inner conjugate gradients: most steps and the gradient left.

    `steps` is the most of them; `slope` the squared slope that may be left, as a share of that at
    Y = 0.
    """

    steps: int = 100
    slope: float = 1e-10


PRECISE = Inner()
"""Stopping rule for a descent that is to end only where no step lowers J."""


class Rough(NamedTuple):
    """The penalty matrix R = beta (I - P) + gamma L of cluster means and graph, as products."""

    beta: float = 0.0
    indicator: Matrix | None = None
    gamma: float = 0.0
    graph: NeighborGraph | None = None

    def times(self, Y: Matrix) -> Matrix:
        """Product R Y of the penalty matrix with Y (n, r).

        >>> together = np.ones((2, 1))
        >>> Rough(2.0, together).times(np.array([[1.0], [3.0]])).ravel()
        array([-2.,  2.])
        """
        RY = np.zeros_like(Y)
        if self.graph is not None and self.graph.degrees.any():  # high powers of weights may be 0
            np.multiply(self.graph.degrees[:, None], Y, out=RY)
            RY -= self.graph.S @ Y
            RY *= self.gamma
        if self.indicator is not None:
            sizes = np.maximum(self.indicator.sum(axis=0), 1.0)
            centers = (self.indicator.T @ Y) / sizes[:, None]
            RY += self.beta * (Y - self.indicator @ centers)
        return RY

    @property
    def diagonal(self) -> Vector | float:
        """Upper bounds (n,) on the diagonal of R, or one number for all rows."""
        own = 0.0 if self.indicator is None else self.beta
        return own if self.graph is None else own + self.gamma * self.graph.degrees

    @property
    def nothing(self) -> bool:
        """True if the penalty matrix R is 0."""
        clusters = self.indicator is not None and self.beta > 0
        return not clusters and (self.graph is None or self.gamma == 0)


def best_memberships(
    A: Matrix | RowMatrices,
    B: Matrix,
    rough: Rough,
    m: Vector,
    start: Matrix,
    inner: Inner = PRECISE,
) -> Matrix:
    """Minimize sum_i y_i'A_i y_i + sum_j m_j Y_j'R Y_j - 2 <B, Y> over Y (n, r) >= 0.

    >>> best_memberships(
    ...     np.eye(1), np.array([[2.0], [-1.0]]), Rough(), np.ones(1), np.zeros((2, 1))
    ... )
    array([[2.],
           [0.]])
    """
    A = A if isinstance(A, RowMatrices) else view_patterns.same(A)
    if rough.nothing:
        Y = np.empty_like(B)
        for rows, own in zip(A.groups, A.matrices, strict=True):
            Y[rows] = nonnegative.least_squares(own, B[rows], start[rows])
        return Y
    largest = np.sqrt(A.diagonals(len(B)) + np.outer(rough.diagonal * np.ones(len(B)), m))
    unit = np.where(largest > 0, largest, 1.0)
    size = np.sum(np.square(B / unit))
    if not size > 0:
        return np.zeros_like(B)

    def curvature(Z: Matrix) -> Matrix:
        V = Z / unit
        found = rough.times(V)
        found *= m
        found += A.times(V)
        found /= unit
        return found

    # Each part of the scaled matrix is at most its diagonal times the larger of these bounds.
    most = max(2.0, *(_scaled_norm(own) for own in A.matrices))
    end = Inner(inner.steps, inner.slope * float(size))
    return conjugate_gradients(curvature, B / unit, start * unit, 1.0 / most, end) / unit


def _scaled_norm(A: Matrix) -> float:
    """Spectral norm of A (r, r) with rows and columns scaled to a diagonal of ones."""
    width = np.sqrt(np.diagonal(A))
    width = np.where(width > 0, width, 1.0)
    return float(np.linalg.norm(A / np.outer(width, width), 2))


def conjugate_gradients(
    curvature: Callable[[Matrix], Matrix], b: Matrix, x: Matrix, rate: float, end: Inner
) -> Matrix:
    """Minimize <x, H x> / 2 - <b, x> over x >= 0 from a start x, in at most `end.steps` steps.

    H is positive semidefinite and at most I / rate. Each step lowers the value, until the squared
    slope is at most `end.slope`.

    >>> H = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> b = np.array([3.0, 1.0])
    >>> conjugate_gradients(lambda x: H @ x, b, np.ones(2), 1 / 3, Inner(slope=1e-20)).round(6)
    array([1.5, 0. ])
    """
    slope = curvature(x) - b
    free = slope * (x > 0)
    along = free
    ratios = np.empty_like(x)
    for _ in range(end.steps):
        inside = np.vdot(free, free)
        held = np.minimum(slope, 0.0)
        held *= x <= 0
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
        ratios.fill(np.inf)
        reach = np.divide(x, along, out=ratios, where=along > 0).min()
        if not np.isfinite(min(best, reach)):
            break
        x = x - min(best, reach) * along
        np.maximum(x, 0.0, out=x)
        slope = slope - min(best, reach) * change
        free = slope * (x > 0)
        if best > reach:  # some entries come to 0: a step that may bring more there
            x -= rate * free
            np.maximum(x, 0.0, out=x)
            slope = curvature(x) - b
            free = slope * (x > 0)
        again = release or best > reach
        along = free - (0.0 if again else np.vdot(free, change) / bend) * along
    return x
