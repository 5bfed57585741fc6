"""Leading eigenvectors of a sparse symmetric matrix plus a low-rank one.

    S + B B'

Symbols  S (n, n) sparse, B (n, r) dense, r small.
Exact    the sum is formed up to `DENSE` rows; above, Lanczos steps use products with S and B alone.
         They see only some of several equal eigenvalues, such as the 1 of each component of a graph
         that falls apart; there what is orthogonal to the vectors found is searched again.
Limits   B = 0: the eigenvectors of S, though not by component as in `spectra`.
"""

import itertools
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, eigsh

from kinfolk.arrays import Matrix, Vector

Product: TypeAlias = Callable[[Matrix], Matrix]

DENSE = 300
"""Most rows for which the sum is formed: a dense solver is quicker there."""

EQUAL = 1e-9
"""Eigenvalues that differ by less count as equal, and links of less as none."""


def leading(S: sp.csr_array, B: Matrix, k: int) -> Matrix:
    """Eigenvectors (n, k) of the k largest eigenvalues of S + B B', largest first.

    >>> abs(leading(sp.csr_array(np.diag([3.0, 1.0, 2.0])), np.array([[0.0], [2.0], [0.0]]), 2))
    array([[0., 1.],
           [1., 0.],
           [0., 0.]])
    """
    n = S.shape[0]
    if n <= DENSE or 3 * k > n:  # Lanczos steps are slow for many vectors
        _, ascending = eigh(S.toarray() + B @ B.T, subset_by_index=(n - k, n - 1))
        return np.ascontiguousarray(ascending[:, ::-1])

    def product(x: Matrix) -> Matrix:
        found: Matrix = S @ x + B @ (B.T @ x)
        return found

    values, vectors = _lanczos(product, n, k, 0)
    if _holds_together(S):
        return np.ascontiguousarray(vectors)
    for seed in itertools.count(1):
        rest = _without(product, values, vectors)
        more, others = _lanczos(rest, n, k, seed)
        if more[0] <= values[-1] + EQUAL:
            break
        both = np.concatenate([values, more])
        first = np.argsort(-both, kind="stable")[:k]
        values = both[first]
        vectors = np.hstack([vectors, others])[:, first]
    return np.ascontiguousarray(vectors)


def _holds_together(S: sp.csr_array) -> bool:
    """True if the links of S above `EQUAL` connect all rows."""
    strong = sp.csr_array(S > EQUAL)
    number, _ = connected_components(strong, directed=False)
    return bool(number == 1)


def _without(product: Product, values: Vector, U: Matrix) -> Product:
    """Deflate: return the product with a matrix whose last eigenvectors are U (n, k)."""
    # Eigenvalues of S are at least -1, and B B' only raises them.
    drop = max(values[0], 0.0) + 2.0
    return lambda x: product(x) - drop * (U @ (U.T @ x))


def _lanczos(product: Product, n: int, k: int, seed: int) -> tuple[Vector, Matrix]:
    """The k largest eigenvalues (k,) and eigenvectors (n, k) of a matrix given by its product."""
    whole: Any = LinearOperator((n, n), matvec=product, matmat=product, dtype=np.float64)
    # Fixed, so that runs repeat; from the same vector the same copies would be missed again.
    start = np.random.default_rng(seed).uniform(0.5, 1.5, size=n)
    values, vectors = eigsh(whole, k=k, which="LA", v0=start)
    down = np.argsort(-values, kind="stable")
    return values[down], vectors[:, down]
