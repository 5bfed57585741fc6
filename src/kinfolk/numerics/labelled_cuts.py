"""Normalized cut of a graph into two sides, with penalties that keep known rows of a side together.

    min x'A x / x'D x,   x'D 1 = 0,   A = L + beta C + lambda L_U                          (1)
    C = mean(D) sum_c (diag 1_c - 1_c 1_c' / n_c)                                          (2)

Symbols     W (n, n) the graph with degrees D and Laplacian L, L_U the Laplacian of its part among
            the rows of unknown side, 1_c (n,) the n_c known rows of side c.
Units       x'D x = 1; the value of (1) has none.
Exact       C is diagonal but for two vectors; up to `spectra.DENSE` rows the eigenvector is that
            of a dense matrix. Beyond it Lanczos steps multiply by sparse matrices alone; where they
            do not converge, the dense matrix is taken up to `spectra.MOST_DENSE` rows.
Limits      beta = lambda = 0: the normalized cut. beta -> infinity: one x for all known rows of a
            side.
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh

from kinfolk.arrays import Matrix, Vector
from kinfolk.numerics import distances, extreme_eigenvectors, operators, spectra


class Cut(NamedTuple):
    """Relaxed cut: a coordinate x (n,) per row, larger on the side +1, and the value of (1)."""

    x: Vector
    value: float


def laplacian(W: sp.csr_array) -> sp.csr_array:
    """Graph Laplacian D - W (n, n)."""
    return sp.csr_array(sp.diags_array(operators.row_sums(W)) - W)


def among(W: sp.csr_array, rows: np.ndarray) -> sp.csr_array:
    """Keep the links of W (n, n) between marked rows (n,), and drop all others."""
    keep = sp.diags_array(rows.astype(float))
    return sp.csr_array(keep @ W @ keep)


def cut(W: sp.csr_array, side: Vector, beta: float, lam: float) -> Cut:
    """Compute the relaxed normalized cut of W (n, n), given `side` (n,): +1, -1, or 0 if unknown.

    `beta` and `lam` are the weights beta and lambda of (1).

    >>> path = sp.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(4, 4), format="csr")
    >>> cut(path, np.array([1.0, 0.0, 0.0, -1.0]), 0.0, 0.0).x.round(2)
    array([ 0.58,  0.29, -0.29, -0.58])
    """
    d = operators.row_sums(W)
    scale = distances.inverse_lengths(d)
    S = sp.diags_array(scale)
    sides = [np.flatnonzero(side == c) for c in (1.0, -1.0)]
    ties = np.zeros(len(d))
    ties[side != 0] = beta * float(d.mean())
    R = laplacian(W) + lam * laplacian(among(W, side == 0)) + sp.diags_array(ties)
    B = sp.csr_array(S @ R @ S)
    # S A S = B - Q Q' by (2) maps u to 0; high u u' makes it the last of all eigenvectors.
    Q = np.zeros((len(d), 2))
    for column, rows in enumerate(sides):
        if len(rows):
            Q[rows, column] = np.sqrt(ties[rows] / len(rows)) * scale[rows]
    u = np.sqrt(d / d.sum())
    # Row sums of |B| bound its eigenvalues, and Q Q' only lowers them.
    high = float(operators.row_sums(abs(B)).max())
    value, y = _smallest(B, Q, u, high)
    x = scale * y
    means = [x[rows].mean() if len(rows) else 0.0 for rows in sides]
    return Cut(-x if means[0] < means[1] else x, value)


def _smallest(B: sp.csr_array, Q: Matrix, u: Vector, high: float) -> tuple[float, Vector]:
    """Smallest eigenvalue of B - Q Q' + high u u', and its unit eigenvector."""
    n = len(u)
    found = (
        None if n <= spectra.DENSE else spectra.unless_close(n, lambda: _in_steps(B, Q, u, high))
    )
    if found is None:
        M = B.toarray() - Q @ Q.T + high * np.outer(u, u)
        found = extreme_eigenvectors.smallest(M, 1)
    values, vectors = found
    return float(values[0]), vectors[:, 0]


def _in_steps(B: sp.csr_array, Q: Matrix, u: Vector, high: float) -> tuple[Vector, Matrix]:
    """The same as arrays (1,) and (n, 1) by Lanczos steps; ArpackNoConvergence if they fail."""
    n = len(u)

    def times(v: Vector) -> Vector:
        return np.asarray(high * v - (B @ v - Q @ (Q.T @ v) + high * u * (u @ v)))

    # The largest of high - M, which Lanczos steps find sooner than the smallest of M.
    operator = LinearOperator((n, n), matvec=times, dtype=np.float64)
    # A fixed start: ARPACK's own is random, and would change the signs from call to call.
    start = np.random.default_rng(0).normal(size=n)
    values, vectors = eigsh(operator, k=1, which="LA", v0=start, tol=1e-9, maxiter=100 * n)
    return high - values, vectors
