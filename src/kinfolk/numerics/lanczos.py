"""Largest eigenvalues of a symmetric matrix given by its products, with every copy of equal ones.

Lanczos steps from one start see one vector only of an eigenvalue that is there twice, or of those
that are equal but for rounding, such as the 1 of each cluster of a graph whose clusters are hardly
linked. Rounding brings the others, but maybe not before the steps end with smaller ones in their
place. So what is orthogonal to the vectors found is searched again, until it holds no larger one.

Symbols  M (n, n) symmetric, known by its products; m eigenvalues are wanted.
Cost     one more search for a single value, to five digits, where nothing was missed.
"""

import itertools
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from kinfolk.arrays import Matrix, Vector

Product: TypeAlias = Callable[[Matrix], Matrix]

EQUAL = 1e-9
"""Eigenvalues that differ by less, or by this share of the largest above 1, count as equal."""

SURE = 1e-5
"""Tolerance of the search for missed eigenvalues: a copy of 1 was not seen beside .9994 at 1e-3."""


def largest(product: Product, n: int, m: int) -> tuple[Vector, Matrix]:
    """The m < n largest eigenvalues, largest first, and eigenvectors (n, m) of a product's matrix.

    ArpackNoConvergence where eigenvalues are too close together for Lanczos steps.

    >>> values, vectors = largest(lambda x: (np.array([5.0, 4, 4, 4, 3, 2, 1]) * x.T).T, 7, 3)
    >>> values.round(6), abs(vectors[0]).round(6)
    (array([5., 4., 4.]), array([1., 0., 0.]))
    """
    values, vectors = _steps(product, n, m, 0)
    equal = EQUAL * max(1.0, float(np.abs(values).max()))
    for seed in itertools.count(1):
        if beside(product, values, vectors, tolerance=SURE) <= values[-1] + equal:
            break
        more, others = _steps(_without(product, values, vectors), n, m, seed)
        both = np.concatenate([values, more])
        first = np.argsort(-both, kind="stable")[:m]
        values = both[first]
        vectors = np.hstack([vectors, others])[:, first]
    return values, vectors


def beside(
    product: Product,
    values: Vector,
    vectors: Matrix,
    restarts: int | None = None,
    tolerance: float = 1e-3,
) -> float:
    """Largest eigenvalue besides these m (m,) with eigenvectors (n, m), to about three digits.

    ArpackNoConvergence if so many restarts do not suffice; None: as many as are usual.

    >>> round(beside(lambda x: 2.0 * x, np.array([2.0]), np.eye(5, 1)), 3)
    2.0
    """
    n = len(vectors)
    rest = _operator(_without(product, values, vectors), n)
    start = np.random.default_rng(1).standard_normal(n)
    found = eigsh(
        rest, k=1, which="LA", v0=start, tol=tolerance, return_eigenvectors=False, maxiter=restarts
    )
    return float(found[0])


def start(n: int, seed: int = 0) -> Vector:
    """First vector (n,) of Lanczos steps: fixed, so that runs repeat.

    >>> start(2).round(2)
    array([1.14, 0.77])
    """
    # Positive, so that it is not orthogonal to the first eigenvector of a graph.
    return np.random.default_rng(seed).uniform(0.5, 1.5, size=n)


def _steps(product: Product, n: int, m: int, seed: int) -> tuple[Vector, Matrix]:
    """The m largest eigenvalues (m,), largest first, and eigenvectors (n, m), by one search."""
    # From the same first vector the same copies would be missed again.
    values, vectors = eigsh(_operator(product, n), k=m, which="LA", v0=start(n, seed))
    down = np.argsort(-values, kind="stable")
    return values[down], vectors[:, down]


def _operator(product: Product, n: int) -> Any:
    return LinearOperator((n, n), matvec=product, matmat=product, dtype=np.float64)


def _without(product: Product, values: Vector, U: Matrix) -> Product:
    """Product with a matrix whose eigenvalues at the eigenvectors U (n, m) are its smallest."""
    # So far below the others that each of them, found or missed, is larger.
    drop = values - values.min() + 2.0

    def without(x: Matrix) -> Matrix:
        found: Matrix = product(x) - U @ (drop * (U.T @ x).T).T
        return found

    return without
