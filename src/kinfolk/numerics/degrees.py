"""Normalizes similarity matrices by the degrees (row sums) of their rows.

With the degrees d = M 1 of a similarity M >= 0 and their mean m

    S = sqrt(m) diag(d)^-1/2,    M o ss' = S M S,                                  (D)

whose entries are as large as those of M on average. In M itself a row among many near rows has a
larger sum than one among few: |M - Y Y'|^2 is then lowest where Y describes the densest places, or
cuts a large cluster rather than tell small ones apart.

Symbols     M (n, n), d and s (n,), s the diagonal of S.
Units       M may have any unit: S has none.
Weights     row i repeated w[i] times: d = M w and m = w'd / sum w over positive degrees. Copies of
            a row have the similarity M[i,i] to each other, which is 1 for cosines and kernels.
Limits      equal degrees: S = I. Rows of degree 0 are similar to none, and stay as they are.
Source      Shi, Malik (2000); Kuang, Ding, Park (2012), section 3.1, where M is divided so before
            it is factored.
"""

import numpy as np

from kinfolk.arrays import Matrix, Vector
from kinfolk.numerics import weighted_rows
from kinfolk.numerics.operators import Symmetric


def degrees(M: Symmetric, weight: Vector | None = None) -> Vector:
    """Row sums d (n,) of a similarity matrix M (n, n), its columns weighted by (n,) or by 1.

    >>> from kinfolk.numerics.operators import Explicit
    >>> degrees(Explicit(np.array([[1.0, 0.5], [0.5, 1.0]])), np.array([2.0, 1.0]))
    array([2.5, 2. ])
    """
    return M.times(np.ones((M.n, 1)) if weight is None else weight[:, None]).ravel()


def mean(d: Vector, weight: Vector | None = None) -> float:
    """Mean of the positive degrees in d (n,), weighted by (n,) or by 1; 1 if no degree is positive.

    >>> mean(np.array([1.0, 0.0, 4.0])), mean(np.array([1.0, 0.0, 4.0]), np.array([2.0, 3.0, 1.0]))
    (2.5, 2.0)
    """
    linked = d[d > 0]
    if weight is None:
        return float(linked.mean()) if len(linked) else 1.0
    own = weight[d > 0]
    return float(own @ linked / own.sum()) if own.sum() > 0 else 1.0


def scale(d: Vector, size: float) -> Vector:
    """Scale factors sqrt(size / d) (m,) for rows of degrees d (m,); `size` is the mean degree.

    >>> scale(np.array([1.0, 0.0, 4.0]), 2.5).round(3)
    array([1.581, 1.   , 0.791])
    """
    linked = d > 0
    s: Vector = np.sqrt(np.where(linked, size, 1.0) / np.where(linked, d, 1.0))
    return s


def scales(M: Symmetric, weight: Vector | None = None) -> Vector:
    """Scale factors s (n,) of the normalized similarity diag(s) M diag(s), with row weights.

    >>> from kinfolk.numerics.operators import Explicit
    >>> scales(Explicit(np.array([[1.0, 0.0], [0.0, 4.0]]))).round(3)
    array([1.581, 0.791])
    """
    d = degrees(M, weight)
    return scale(d, mean(d, weight))


def with_ones(s: Vector, Y: Matrix, weight: Vector | None = None) -> Matrix:
    """Multiply memberships Y (n, k) by s (n,), and append a column of ones, for new rows' degrees.

    With weights (n,) Y is D^1/2 Y (`weighted_rows`); the result is D S Y and a column of weights.

    >>> with_ones(np.array([2.0, 1.0]), np.array([[1.0], [3.0]]))
    array([[2., 1.],
           [3., 1.]])
    """
    ones = np.ones(len(Y)) if weight is None else weight
    return np.column_stack([s[:, None] * weighted_rows.times_roots(Y, weight), ones])
