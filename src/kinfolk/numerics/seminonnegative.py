"""Semi-non-negative factorization X ~ Y V: memberships Y >= 0, centers V of any sign.

For fixed Y the best centers are Y^+ X, with Y^+ the pseudoinverse; for fixed centers

    J(Y) = tr(Y B Y') - 2 tr(Y'A)  with  A = X V',  B = V V'

does not rise in the step

    Y <- Y o sqrt( (A+ + Y B-) / (A- + Y B+) ).                                     (14)

For fixed centers the rows of Y are independent of each other, and the best are known: those of
non-negative least squares, or, where a row may belong to one cluster only,

    y_j = max(a_j, 0) / B_jj  for the j with the largest a_j / sqrt(B_jj).             (S)

Source      Ding, Li, Jordan (2010); the number and the proof are those of Gu, Zhou (2009),
            theorem III.4 and appendix.
Departures  the inverse of Y'Y in (6) and (8) is the pseudoinverse, so that an empty cluster, or
            two that coincide, do no harm; an entry whose divisor is 0 stays.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.numerics import memberships, nonnegative, signs, starts, weighted_rows

S = TypeVar("S", bound=Any)

PLAIN_INITS = ("random", "kmeans")
"""Names of first memberships: random numbers in [0, 1), or k-means labels plus an offset."""

DEPENDENT = 1e-10
"""Columns of Y, scaled to length 1, this close to the span of the others depend on them."""

EXACT = 1e-6
"""Residuals below this share of |X|^2 count as 0."""


class Basis(NamedTuple):
    """Orthonormal basis O (n, r) of the columns of Y, and C (k, r) with pseudoinverse C O'."""

    O: Matrix
    C: Matrix


def orthonormal_basis(Y: Matrix) -> Basis:
    """Orthonormal basis of the columns of Y (n, k), with the pseudoinverse of Y.

    >>> found = orthonormal_basis(np.array([[2.0, 0.0], [0.0, 4.0]]))
    >>> found.C @ found.O.T
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    # Scaled columns, so that a small cluster does not count as dependent.
    lengths = np.linalg.norm(Y, axis=0)
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    O, s, right = np.linalg.svd(Y * scale, full_matrices=False)
    kept = s > DEPENDENT * max(s[0], DEPENDENT)
    return Basis(O[:, kept], scale[:, None] * right[kept].T / s[kept])


def step(Y: Matrix, A: Matrix, B: Matrix) -> Matrix:
    """Multiplicative update of Y for tr(Y B Y') - 2 tr(Y'A), given A (n, k) and B (k, k).

    >>> step(np.array([[2.0]]), np.array([[9.0]]), np.array([[1.0]])).round(3)
    array([[4.243]])
    """
    up, down = signs.parts(A)
    plus, minus = signs.parts(B)
    ratio = nonnegative.ratio(up + Y @ minus, down + Y @ plus, 1.0)
    return Y * np.sqrt(ratio, out=ratio)


def zero_if_rounding(J: float, size: float) -> float:
    """Return J, or 0 if it is within the rounding error of numbers of this size.

    >>> zero_if_rounding(2.0, 1e9), zero_if_rounding(2.0, 10.0)
    (0.0, 2.0)
    """
    return J if EXACT * size < J else 0.0


def initial_memberships(
    X: Table, k: int, seed: int, how: str, offset: float, weight: Vector | None = None
) -> Matrix:
    """First memberships Y (n, k) for the rows X (n, d), random or from k-means.

    With weights (n,) the k-means is a weighted one and the result D^1/2 Y (`weighted_rows`).

    >>> initial_memberships(np.array([[0.0], [9.0], [9.5]]), 2, 0, "kmeans", 0.2)
    array([[0.2, 1.2],
           [1.2, 0.2],
           [1.2, 0.2]])
    """
    if how == "random":
        Y: Matrix = np.random.RandomState(seed).uniform(size=(X.shape[0], k))
    else:
        of_means = weighted_rows.uneven(weight)
        labels = starts.kmeans(X, min(k, X.shape[0]), seed, weight=of_means)
        Y = memberships.indicator(labels, k, offset)
    return weighted_rows.times_roots(Y, weight)


class RowMemberships(NamedTuple):
    """Memberships Y (m, k) of rows, and the cluster of each (m,)."""

    Y: Matrix
    labels: Labels


def best_rows(A: Matrix, B: Matrix, mixed: bool, start: Matrix | None = None) -> RowMemberships:
    """Memberships y >= 0 with the lowest yBy' - 2 ya' per row: mixed, or one cluster per row.

    A is (m, k), B (k, k). The cluster of a mixed row is its largest entry, or that of a where
    y is 0. `start` is a guess of Y for mixed rows, see `nonnegative.least_squares`.

    >>> A = np.array([[3.0, 1.0], [-2.0, -1.0]])
    >>> best_rows(A, np.eye(2), mixed=True)
    RowMemberships(Y=array([[3., 1.],
           [0., 0.]]), labels=array([0, 1]))
    >>> best_rows(A, np.eye(2), mixed=False).Y
    array([[3., 0.],
           [0., 0.]])
    """
    if mixed:
        Y = nonnegative.least_squares(B, A, start)
        return RowMemberships(Y, memberships.hard(Y, A.argmax(axis=1)))
    squares = np.diagonal(B)
    # A cluster without a center takes no row.
    cosines = np.divide(A, np.sqrt(squares), out=np.full(A.shape, -np.inf), where=squares > 0)
    labels = cosines.argmax(axis=1)
    rows = np.arange(len(A))
    up = np.maximum(A[rows, labels], 0.0)
    Y = np.zeros(A.shape)
    Y[rows, labels] = np.divide(up, squares[labels], out=np.zeros_like(up), where=up > 0)  # (S)
    return RowMemberships(Y, labels)


def extrapolated(s: S, sweep: Callable[[Matrix], S], objective: Callable[[S], float]) -> S:
    """Apply `sweep` twice, then once from an extrapolated point if that is lower.

    States have memberships Y (n, k), from which `sweep` makes the next state. The objective never
    rises.
    """
    first = sweep(s.Y)
    second = sweep(first.Y)
    before = first.Y - s.Y
    D = second.Y - first.Y
    size = np.vdot(before, before)
    # Sweeps that each shrink the step by the factor r have r / (1 - r) steps left to go.
    r = np.vdot(before, D) / size if size > 0 else 0.0
    reached = [second]
    if 0 < r < 1:
        reached.append(sweep(np.maximum(second.Y + r / (1.0 - r) * D, 0.0)))
    # Where centers nearly coincide, rounding may raise the objective: the state then stays.
    return min([*reached, s], key=objective)


def nonnegative_assignment(A: Matrix, B: Matrix) -> Labels:
    """Label (m,) of the largest entry of y >= 0 with the lowest yBy' - 2 ya'.

    A is (m, k), B (k, k); where that y is 0, the largest entry of a counts. With products A = m'Y
    of similarities m (n,) and Y (n, k), and B = Y'Y, y minimizes |m - Y y|^2.

    >>> nonnegative_assignment(np.array([[3.0, 1.0], [-2.0, -1.0]]), np.eye(2))
    array([0, 1])
    """
    return best_rows(A, B, mixed=True).labels
