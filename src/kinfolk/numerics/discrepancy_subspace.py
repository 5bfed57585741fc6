"""Linear subspace with large variance of rows and small distance between the tasks' means.

W (d, r) maximizes tr(W'C W) over W'W = I, where

    C = (1 - a) X'H X / n  -  a 2/(T (T-1)) sum_{t<s} (m_t - m_s)(m_t - m_s)'                (1)

so the columns of W are the leading eigenvectors of C. The sum over pairs of tasks equals

    T sum_t (m_t - m)(m_t - m)',   m the mean of the task means.                             (2)

Symbols     X (n, d) rows of T tasks, m_t (d,) the mean of task t, H centers at the mean of all
            rows, a = `share` in [0, 1].
Units       squared units of X in both terms.
Exact       C is formed where d <= n and d is small; where n < d, W lies in the span of the rows.
            Larger ones by Lanczos steps, with products with X only.
Limits      a = 0 or one task: principal components of all rows. a = 1: no eigenvalue is above 0.
            Eigenvectors whose eigenvalue is 0 or less are left out: they would separate tasks more
            than rows, or nothing at all.
Source      the linear case of Gretton and others (2012), see `discrepancy`, as a trace criterion.
"""

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.numerics import (
    distances,
    extreme_eigenvectors,
    memberships,
    memo,
    operators,
    subspaces,
)

DENSE = 600
"""Most rows or columns, whichever are fewer, for which C is formed as a dense matrix."""

NOTHING = 1e-10
"""Eigenvalues up to this share of the mean squared length of rows count as 0."""


class Criterion:
    """The symmetric matrix C (d, d) whose leading eigenvectors span the subspace, as products.

    >>> C = Criterion(np.array([[0.0, 1.0], [0.0, 3.0], [4.0, 1.0], [4.0, 3.0]]),
    ...               np.array([0, 0, 1, 1]), 0.5)
    >>> C.times(np.eye(2))
    array([[-6. ,  0. ],
           [ 0. ,  0.5]])
    """

    def __init__(self, X: Table, codes: Labels, share: float) -> None:
        T = int(codes.max()) + 1
        self._X = X
        self._mean = operators.mean(X)
        means = memberships.centers(X, memberships.indicator(codes, T))
        self._gaps = means - means.mean(axis=0)
        self._within = (1.0 - share) / X.shape[0]
        self._between = 2.0 * share / max(T - 1, 1)  # (2)

    def times(self, V: Matrix) -> Matrix:
        """Product C V (d, r) of the criterion's matrix with V (d, r)."""
        n = self._X.shape[0]
        rows = operators.crossed(self._X, operators.times(self._X, V))
        rows -= n * np.outer(self._mean, self._mean @ V)
        return self._within * rows - self._between * (self._gaps.T @ (self._gaps @ V))


@memo.remembered
def subspace(X: Table, codes: Labels, share: float, l: int) -> Matrix:
    """Basis W (d, r), r <= l, with large variance of X (n, d) and close means of the tasks `codes`.

    >>> X = np.array([[0.0, 1.0], [0.0, 3.0], [4.0, 1.0], [4.0, 3.0]])
    >>> abs(subspace(X, np.array([0, 0, 1, 1]), 0.5, 2)).round(6)
    array([[0.],
           [1.]])
    """
    n, d = X.shape
    least = NOTHING * float(distances.squared_norms(X).sum()) / n
    if min(n, d) > DENSE:
        values, W = _by_products(Criterion(X, codes, share), d, min(l, d - 1))
    elif d <= n:
        values, W = _leading(Criterion(X, codes, share).times(np.eye(d)), l)
    else:
        R = subspaces.axes(X)[0]
        inside = Criterion(operators.times(X, R), codes, share)
        values, A = _leading(inside.times(np.eye(R.shape[1])), l)
        W = R @ A
    return W[:, values > least]


def _leading(C: Matrix, l: int) -> tuple[Vector, Matrix]:
    """Up to l largest eigenvalues of C (r, r), largest first, and their eigenvectors."""
    values, vectors = extreme_eigenvectors.largest((C + C.T) / 2, min(l, len(C)))
    return values[::-1], vectors[:, ::-1]


def _by_products(C: Criterion, d: int, l: int) -> tuple[Vector, Matrix]:
    """The l largest eigenvalues of C (d, d) and eigenvectors, from products alone (Lanczos).

    From C itself where eigenvalues are too close together for Lanczos steps.
    """
    product = LinearOperator(
        (d, d), matvec=lambda v: C.times(v.reshape(-1, 1)).ravel(), dtype=float
    )
    # A fixed start, so that runs repeat.
    start = np.random.default_rng(0).normal(size=d)
    try:
        values, vectors = eigsh(product, k=l, which="LA", v0=start, ncv=min(d, 2 * l + 20))
    except ArpackNoConvergence:
        return _leading(C.times(np.eye(d)), l)
    down = np.argsort(-values, kind="stable")
    return values[down], vectors[:, down]


def projected(X: Table, W: Matrix) -> Matrix:
    """Project rows X (n, d) on W (d, r) and scale to unit length; rows orthogonal to W get 0.

    >>> projected(np.array([[3.0, 4.0], [1.0, 0.0]]), np.array([[0.0], [1.0]]))
    array([[1.],
           [0.]])
    """
    Z = operators.times(X, W)
    lengths = distances.squared_norms(X)
    # What is left of a row at right angles to W is rounding, without a direction.
    Z[distances.squared_norms(Z) <= NOTHING**2 * lengths] = 0.0
    return distances.unit_rows(Z)
