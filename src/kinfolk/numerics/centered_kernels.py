"""Centered kernel matrices of one view with unit diagonal, and their leading eigenvectors.

    gaussian   exp(-|x - y|^2 / (2 h^2)), h the median distance of rows
    five       of rows of unit length: exp(-|x - y|^2 / 2), (x'y)^3, x'y, tanh(.1 x'y) and
               1 / (|x - y|^2 + .01)

Source  the five are those of the released code of CoMSC.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg.blas import dsymv
from scipy.sparse.linalg import ArpackNoConvergence

from kinfolk.arrays import Matrix, Table
from kinfolk.numerics import associations, distances, extreme_eigenvectors, lanczos, operators
from kinfolk.numerics.features import Features

KINDS = ("gaussian", "five")
"""Names of the kernels of a view: one Gaussian kernel, or all five of the list above."""

DENSE = 1500
"""Most rows of a matrix whose eigenvectors are found without Lanczos steps."""


def of(X: Table, kind: str, seed: int) -> list[Matrix]:
    """Return normalized kernel matrices (n, n) of rows X (n, d): one, or five if `kind` is "five".

    The seed is that of the rows drawn for the median distance h.

    >>> (K,) = of(np.array([[0.0], [1.0], [3.0]]), "gaussian", 0)
    >>> K.round(2)
    array([[ 1.  ,  0.37, -0.92],
           [ 0.37,  1.  , -0.7 ],
           [-0.92, -0.7 ,  1.  ]])
    """
    if kind == "gaussian":
        rows: Matrix = operators.dense(X).astype(np.float64, copy=False)
        h = associations.median_distance([Features([rows])], np.random.RandomState(seed))
        return [normalized(np.exp(-distances.squared(rows, rows) / (2.0 * h**2)))]
    rows = distances.unit_rows(operators.dense(X).astype(np.float64, copy=False))
    inner = rows @ rows.T
    D = distances.squared(rows, rows)
    five = [np.exp(-D / 2.0), inner**3, inner, np.tanh(0.1 * inner), 1.0 / (D + 0.01)]
    return [normalized(K) for K in five]


def normalized(K: Matrix) -> Matrix:
    """Center a kernel matrix (n, n) and scale it to a unit diagonal; rows of 0 stay 0."""
    means = K.mean(axis=0)
    centered = K - means
    centered -= means[:, None]
    centered += means.mean()
    squares = np.diagonal(centered)
    # A row at the mean has a diagonal of 0 but for rounding.
    size = squares.max(initial=0.0)
    scale = distances.inverse_lengths(np.where(squares > 1e-12 * size, squares, 0.0))
    centered *= scale[:, None]
    centered *= scale
    found: Matrix = centered + centered.T
    found /= 2.0
    return found


def leading(M: Table, c: int) -> Matrix:
    """Return the eigenvectors (n, c) of the c largest eigenvalues of a symmetric M (n, n).

    >>> abs(leading(np.diag([1.0, 3.0]), 1)).ravel()
    array([0., 1.])
    """
    n = M.shape[0]
    if n > DENSE and 3 * c <= n:
        try:
            return lanczos.largest(_product(M), n, c)[1][:, ::-1]
        except ArpackNoConvergence:  # eigenvalues lie too close together for Lanczos steps
            pass
    return extreme_eigenvectors.largest(operators.dense(M), c)[1]


def _product(M: Table) -> Callable[[Matrix], Matrix]:
    """Return the function x -> M x of a symmetric matrix M (n, n).

    Of a dense one half the entries are read, those on and above the diagonal.
    """
    if sp.issparse(M):
        return lambda x: operators.times(M, x)
    half: Any = M.T  # in the order of columns, as the routine wants it
    return lambda x: np.asarray(dsymv(1.0, half, x.ravel(), lower=1)).reshape(x.shape)
