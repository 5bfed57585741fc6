"""Ridge regressions on centered rows, towards a target or with a low-rank prior covariance.

    minimize over W (d, k)   |Y - X W|^2 + n (c |W - Z|^2)                        (R)
    minimize over W (d, k)   |Y - X W|^2 + n tr(W' Q^-1 W),
                             Q = q_0 (I - V V') + V diag(q) V'                    (Q)

where X = (rows - their mean) / unit. With A = (q_0 X X' + n I)^-1 and B = X V the second has

    a = A Y - A B (I + diag(q - q_0) B'A B)^-1 diag(q - q_0) B'A Y
    W = q_0 X'a + V diag(q - q_0) B'a

Symbols  X (n, d), Y and a (n, k), V (d, p) with orthonormal columns, q (p,), Z (d, k).
Exact    one eigendecomposition of min(n, d)^2 numbers serves all c and Q; Q is never formed. A
         sparse table is not centered in memory: its mean is taken off the products.
Limits   V empty, q_0 = 1 / c is (R) with Z = 0.
"""

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import distances, operators


class CenteredRows:
    """Centered and scaled rows X of a table, held for products and ridge regressions.

    Attributes
    ----------
    shape : (n, d)
    mean : (d,) of the rows, in units of the table
    unit : float, by which the centered rows are divided

    >>> rows = CenteredRows(np.array([[1.0, 5.0], [3.0, 5.0]]), 2.0)
    >>> rows.times(np.eye(2)), rows.crossed(np.array([[1.0], [2.0]])).ravel()
    (array([[-0.5,  0. ],
           [ 0.5,  0. ]]), array([0.5, 0. ]))
    """

    def __init__(self, table: Table, unit: float = 1.0) -> None:
        self.shape = table.shape
        self.mean = operators.mean(table)
        self.unit = unit
        self._sparse = sp.issparse(table)
        # A dense table is centered itself: differences of products lose digits far from 0.
        self._table = table if self._sparse else (operators.dense(table) - self.mean) / unit
        values, self._vectors = np.linalg.eigh(self._gram())
        self._values = np.maximum(values, 0.0)

    def times(self, W: Matrix) -> Matrix:
        """Product X W (n, r) of the centered rows with W (d, r)."""
        product = operators.times(self._table, W)
        return (product - self.mean @ W) / self.unit if self._sparse else product

    def crossed(self, A: Matrix) -> Matrix:
        """Product X'A (d, r) of the centered rows with A (n, r)."""
        product = operators.crossed(self._table, A)
        if not self._sparse:
            return product
        return (product - np.outer(self.mean, A.sum(axis=0))) / self.unit

    def leading(self, m: int) -> Matrix:
        """Scores (n, m) of the first m principal components, or of all if fewer.

        >>> rows = CenteredRows(np.array([[0.0, 5.0], [4.0, 5.0]]))
        >>> abs(rows.leading(1)).ravel()
        array([2., 2.])
        """
        m = min(m, len(self._values))
        Q = self._vectors[:, len(self._values) - m :]
        if self._wide:
            return Q * np.sqrt(self._values[len(self._values) - m :])
        return self.times(Q)

    def towards(self, Y: Matrix, Z: Matrix, c: float) -> Matrix:
        """Ridge regression of Y (n, k) shrunk towards Z (d, k): W with penalty n c |W - Z|^2.

        >>> CenteredRows(np.array([[-1.0], [1.0]])).towards(
        ...     np.array([[-3.0], [3.0]]), np.array([[1.0]]), 1.0
        ... )
        array([[2.]])
        """
        return Z + self.crossed(self._solve(Y - self.times(Z), 1.0, self.shape[0] * c))

    def along(self, Y: Matrix, V: Matrix, q: Vector, rest: float) -> Matrix:
        """Ridge regression of Y (n, k) with prior variances q along V (d, p) and `rest` elsewhere.

        >>> CenteredRows(np.array([[-1.0, 0.0], [1.0, 0.0]])).along(
        ...     np.array([[-3.0], [3.0]]), np.eye(2)[:, :1], np.array([1.0]), 0.5
        ... ).ravel()
        array([1.5, 0. ])
        """
        n = self.shape[0]
        p = V.shape[1]
        B = self.times(V)
        more = (q - rest)[:, None]
        solved = self._solve(np.hstack([Y, B]), rest, float(n))
        AY, AB = solved[:, : Y.shape[1]], solved[:, Y.shape[1] :]
        a = AY - AB @ np.linalg.solve(np.eye(p) + more * (B.T @ AB), more * (B.T @ AY))
        W: Matrix = rest * self.crossed(a) + V @ (more * (B.T @ a))
        return W

    @property
    def _wide(self) -> bool:
        return self.shape[0] <= self.shape[1]

    def _gram(self) -> Matrix:
        """Smaller of the Gram matrices X X' (n, n) and X'X (d, d) of the centered rows."""
        X = self._table.T if self._wide else self._table
        G = operators.crossed(X, X)
        if not self._sparse:
            return G
        if self._wide:
            means = G.mean(axis=0)
            G = G - means - means[:, None] + means.mean()
        else:
            G = G - self.shape[0] * np.outer(self.mean, self.mean)
        return G / self.unit**2

    def _solve(self, B: Matrix, weight: float, shift: float) -> Matrix:
        """Compute (weight X X' + shift I)^-1 B (n, r) from the eigendecomposition."""
        inverse = 1.0 / (weight * self._values + shift)
        if self._wide:
            wide: Matrix = self._vectors @ (inverse[:, None] * (self._vectors.T @ B))
            return wide
        pull = self._vectors.T @ self.crossed(B)
        within = self.times(self._vectors @ ((weight * inverse)[:, None] * pull))
        return (B - within) / shift


def spread(tables: list[Table]) -> float:
    """Root mean square distance of rows to their table's mean, above 0 for use as a unit.

    Where all rows of each table are equal but for rounding: their root mean square length, or 1
    if that is less.

    >>> spread([np.array([[0.0], [2.0]]), np.array([[5.0], [9.0]])])
    1.5811388300841898
    """
    n = sum(X.shape[0] for X in tables)
    size = np.sqrt(sum(distances.squared_norms(X).sum() for X in tables) / n)
    found = np.sqrt(sum(map(distances.scatter, tables)) / n)
    # Means err by about 1e-16 of themselves.
    return float(found) if found > 1e-14 * size else max(float(size), 1.0)
