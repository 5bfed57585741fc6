"""Ridge regression shrunk towards a target, for many responses and penalties at once.

For each column, with y (n,), z (d,) and its own c > 0,

    minimize  lambda |y - X w|^2 + c |w - z|^2                                     (R)

whose solution satisfies (lambda X'X + c I) w = lambda X'y + c z. With r = y - X z it is

    w = z + lambda X' u,   X w = y - c u,   u = Q diag(1 / (lambda s + c)) Q' r
                                                           XX' = Q diag(s) Q',  n <= d
    w = z + Q diag(lambda / (lambda s + c)) Q' X' r        X'X = Q diag(s) Q',  n > d

Symbols  X (n, d), dense or CSR; Q the eigenvectors of the smaller Gram matrix, s >= 0.
Exact    one eigendecomposition of min(n, d)^2 numbers; then k columns cost O(n d k), or fewer
         where X is sparse, whatever their c. X is never made dense.
Limits   lambda = 0 gives z; c -> 0 with y in the range of X gives the interpolant nearest to z.
"""

from typing import NamedTuple, Protocol

import numpy as np

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import memo, operators, starts


class Solution(NamedTuple):
    """Coefficients W (d, k) and fitted values X W (n, k)."""

    W: Matrix
    values: Matrix


class Regression(Protocol):
    """Interface of ridge regressions on one table X (n, d), in memory or in blocks."""

    @property
    def width(self) -> int:
        """The number d of columns."""

    def towards(self, Y: Matrix, Z: Matrix, weight: float, c: Vector) -> Solution:
        """Regress Y (n, k) on X shrunk towards coefficients Z (d, k), with penalties c (k,)."""

    def values(self, W: Matrix) -> Matrix:
        """Fitted values X W (n, k)."""


@memo.remembered
def gram_eigenvectors(X: Table) -> tuple[Vector, Matrix]:
    """Eigenvalues and eigenvectors of the smaller Gram matrix of X: XX' (n, n) or X'X (d, d).

    >>> gram_eigenvectors(np.array([[3.0, 0.0, 0.0], [0.0, 0.0, 2.0]]))[0]
    array([4., 9.])
    """
    A = X.T if X.shape[0] <= X.shape[1] else X
    values, vectors = np.linalg.eigh(operators.crossed(A, A))
    return values, vectors


class Ridge:
    """Ridge regressions on one table X (n, d), by one eigendecomposition.

    >>> fit = Ridge(np.eye(2)).towards(np.array([[3.0], [0.0]]), np.zeros((2, 1)), 2.0, np.ones(1))
    >>> fit.W
    array([[2.],
           [0.]])
    """

    def __init__(self, X: Table) -> None:
        self.X = X
        n, d = X.shape
        self.width = int(d)
        self._wide = n <= d
        values, self._vectors = gram_eigenvectors(X)
        self._values = np.maximum(values, 0.0)[:, None]
        # Made once: a sparse table takes longer for it than for a product with few columns.
        self._turned = X.T

    def towards(self, Y: Matrix, Z: Matrix, weight: float, c: Vector) -> Solution:
        """Regress Y (n, k) on X shrunk towards coefficients Z (d, k), with penalties c (k,)."""
        away = Y - operators.times(self.X, Z)
        inverse = 1.0 / (weight * self._values + c)
        if self._wide:
            u = self._vectors @ (inverse * (self._vectors.T @ away))
            return Solution(Z + self._crossed(weight * u), Y - c * u)
        W = Z + self._vectors @ (weight * inverse * (self._vectors.T @ self._crossed(away)))
        return Solution(W, self.values(W))

    def values(self, W: Matrix) -> Matrix:
        """Fitted values X W (n, k)."""
        return operators.times(self.X, W)

    def _crossed(self, Y: Matrix) -> Matrix:
        """Product X'Y (d, r)."""
        if self.X.dtype != np.float64:
            return operators.crossed(self.X, Y)
        return operators.dense(self._turned @ Y)

    def condensed(self) -> Table:
        """Return rows with the same distances in fewer columns if cheaper, else X itself."""
        if starts.worth_condensing(self.X.shape):
            return self._vectors * np.sqrt(self._values[:, 0])
        return self.X
