"""Ridge regressions of several tasks with a row-sparse penalty that selects common columns.

    R(W) = sum_t |H (X_t W_t - F_t)|^2 + c sum_i (|w^i|^2 + e)^(p/2),    0 < p <= 2    (1)

with w^i row i of [W_1, W_2, ...] and H the centering of a task's rows. For p < 2 a column that one
task needs costs other tasks less, so tasks agree on columns. The tangent of t -> (t + e)^(p/2)
lies above it, so that

    R(W) <= sum_t |H (X_t W_t - F_t)|^2 + c sum_i D_i |w^i|^2 + const,
            D_i = p/2 (|w^i|^2 + e)^(p/2 - 1)   at the present W                       (2)

with equality there: minimizing the right side never raises R. Its minimizer and least value are

    W_t = (X'HX + c D)^-1 X'H F_t,    tr(F_t'(H - K_t) F_t),
    K_t = HX (X'HX + c D)^-1 X'H                                                       (3)

Symbols  X (n, d), F (n, k), W (d, k), D (d,), K (n, n), c > 0, e > 0.
Units    c is in units of X to the power p; e in those of 1/X^2.
Exact    for n < d, with B = HX D^-1 X'H: W = D^-1 X'H (B + c I)^-1 H F and
         K = (I - c (B + c I)^-1) H, so that nothing is (d, d). H X is never formed of a sparse X.
Limits   p = 2: D = 1, ridge regression of each task by itself.
Source   Nie, Huang, Cai, Ding (2010), NIPS 23, for (2) with p = 1; the rest is ours.
"""

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.errors import InputError
from kinfolk.numerics import distances, operators

SMOOTHING = 1e-8
"""Smoothing constant e in units of (number of targets) / (scatter of all tables)."""


class CenteredTable:
    """A table X (n, d) with its column means subtracted, held for products.

    >>> H = CenteredTable(np.array([[1.0, 5.0], [3.0, 5.0]]))
    >>> H.times(np.eye(2))
    array([[-1.,  0.],
           [ 1.,  0.]])
    """

    def __init__(self, X: Table) -> None:
        # Products with rows far from 0 lose digits, and subtracting the mean afterwards does not
        # bring them back: such a table is centered first.
        middle = distances.origin(X)
        self.X = X if middle is None else X - middle
        self.mean = operators.mean(self.X)

    def times(self, W: Matrix) -> Matrix:
        """Product (n, k) of the centered table with W (d, k)."""
        return operators.times(self.X, W) - self.mean @ W

    def crossed(self, F: Matrix) -> Matrix:
        """Product (d, k) of the centered table's transpose with F (n, k)."""
        return operators.crossed(self.X, F) - np.outer(self.mean, F.sum(axis=0))

    def rows_product(self, weights: Vector) -> Matrix:
        """Gram matrix (n, n) of the centered rows, with a weight (d,) for each column."""
        n = self.X.shape[0]
        roots = np.sqrt(weights)
        scaled: Table
        scaled = (
            sp.csr_array(self.X @ sp.diags_array(roots)) if sp.issparse(self.X) else self.X * roots
        )
        G = operators.crossed(scaled.T, scaled.T)
        means = G.mean(axis=0)
        centered: Matrix = G - means - means[:, None] + means.sum() / n
        return centered

    def columns_product(self) -> Matrix:
        """Scatter matrix X'HX (d, d) of the centered columns."""
        n = self.X.shape[0]
        return operators.crossed(self.X, self.X) - n * np.outer(self.mean, self.mean)


class ColumnRidge:
    """Ridge regression on one centered table with a penalty per column, c D (d,).

    >>> H = CenteredTable(np.array([[1.0], [-1.0]]))
    >>> regression = ColumnRidge(H, np.ones(1), 2.0)
    >>> regression.coefficients(np.array([[1.0], [-1.0]])), regression.fitted(np.eye(2))
    (array([[0.5]]), array([[ 0.25, -0.25],
           [-0.25,  0.25]]))
    """

    def __init__(self, H: CenteredTable, D: Vector, c: float) -> None:
        self._H = H
        self._D = D
        self._c = c
        n, d = H.X.shape
        self._wide = n < d
        A = H.rows_product(1 / D) if self._wide else H.columns_product()
        A[np.diag_indices_from(A)] += c if self._wide else c * D
        try:
            self._factor = cho_factor(A, overwrite_a=True)
        except np.linalg.LinAlgError:
            raise InputError(
                "columns of X lie so far from 0 that their differences are lost in rounding; "
                "subtract the mean of each column."
            ) from None

    def coefficients(self, F: Matrix) -> Matrix:
        """Regression coefficients W (d, k) for targets F (n, k)."""
        if self._wide:
            solved = cho_solve(self._factor, F - F.mean(axis=0))
            return self._H.crossed(solved) / self._D[:, None]
        return np.asarray(cho_solve(self._factor, self._H.crossed(F)))

    def fitted(self, F: Matrix) -> Matrix:
        """Fitted values (n, k) of the regression for centered targets F (n, k)."""
        if self._wide:
            centered = F - F.mean(axis=0)
            return np.asarray(centered - self._c * cho_solve(self._factor, centered))
        return self._H.times(self.coefficients(F))


def smoothing(tables: list[CenteredTable], n_targets: int) -> float:
    """Smoothing constant e of the row-sparse penalty, inverse to the tables' scatter.

    >>> smoothing([CenteredTable(np.array([[0.0], [2.0]]))], 4) / SMOOTHING
    2.0
    """
    scatter = sum(distances.scatter(H.X) for H in tables)
    return SMOOTHING * n_targets / scatter if scatter > 0 else 1.0


def row_weights(W: list[Matrix], p: float, e: float) -> Vector:
    """Reweighting factors D (d,) of the columns for coefficients W_t (d, k_t) of all tasks.

    >>> row_weights([np.array([[3.0], [0.0]]), np.array([[4.0], [0.0]])], 1.0, 0.01).round(2)
    array([0.1, 5. ])
    """
    sizes: Vector = np.add.reduce([np.square(own).sum(axis=1) for own in W]) + e
    return p / 2 * sizes ** (p / 2 - 1)


def penalty(W: list[Matrix], p: float, e: float) -> float:
    """Smoothed row-sparse penalty sum_i (|w^i|^2 + e)^(p/2) over rows w^i of all tasks' W."""
    sizes: Vector = np.add.reduce([np.square(own).sum(axis=1) for own in W]) + e
    return float(np.sum(sizes ** (p / 2)))
