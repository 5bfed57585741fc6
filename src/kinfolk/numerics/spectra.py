"""Leading eigenvectors of a normalized graph, component by component.

    S = D^-1/2 W D^-1/2,   D = diag(row sums of W)

Symbols  W (n, n) sparse, symmetric, not negative; S has eigenvalues in [-1, 1].
Exact    S has one block per connected component, and so their eigenvectors; each component has one
         eigenvalue 1, with the vector sqrt(row sums). Found component by component they do not mix,
         as they may in a solver of the whole. A component of up to `FEW` rows, or of many links or
         wanted vectors, is solved as a dense matrix, another by Lanczos steps from a fixed start.
         Up to `DENSE` rows the dense matrix is solved also where these steps are slow or values
         are so near that single steps might miss one of them, and up to `MOST_DENSE` where they
         do not converge. No copy of an eigenvalue is missed (`lanczos`).
Limits   a row without links is a component with eigenvalue 0.
Source   von Luxburg, Statistics and Computing 17 (2007) 395-416, propositions 3 and 4.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from kinfolk.arrays import Matrix, Vector
from kinfolk.errors import InputError
from kinfolk.numerics import distances, extreme_eigenvectors, lanczos, operators

DENSE = 1500
"""Most rows of a component that is solved as a dense matrix where Lanczos steps do not pay."""

MOST_DENSE = 10_000
"""Most rows of a dense matrix where Lanczos steps do not converge: 0.8 GB, and minutes."""

# Ten vectors of the nearest rows of mfeat, ms by a dense matrix and by Lanczos steps: 4 and 4 at
# 300 rows, 15 and 6 at 600, 72 and 9 at 1000, 250 and 13 at 1500.
FEW = 400
"""Most rows for which Lanczos steps are not tried."""

FEW_VECTORS = 20
"""Least rows per eigenvector for which Lanczos steps are tried, up to `DENSE` rows."""

FEW_LINKS = 5
"""Least n^2 / (number of links) for which Lanczos steps are tried, up to `DENSE` rows."""

ROWS_PER_RESTART = 30
"""Lanczos steps end after n / 30 restarts, less than half the cost of a dense matrix."""

NEAR_EIGENVALUES = 1e-6
"""Eigenvalues this near, over the largest entry, take a dense matrix, up to `DENSE` rows."""

EQUAL_EIGENVALUES = 1e-9
"""Eigenvalues, and entries of a vector, that differ by less count as equal."""


ZERO_EIGENVALUE = 1e-10
"""Eigenvalues up to this size count as 0; an extension cannot divide by them."""


class Spectrum(NamedTuple):
    """Degrees (n,), leading eigenvalues (m,) and eigenvectors (n, m) of a normalized graph."""

    degrees: Vector
    values: Vector
    vectors: Matrix

    def leading(self, m: int) -> "Spectrum":
        """Return the spectrum of the m largest eigenvalues alone."""
        return Spectrum(self.degrees, self.values[:m], self.vectors[:, :m])

    def embedding(self) -> Matrix:
        """Eigenvectors (n, m) with rows scaled to unit length; rows without links are 0."""
        return distances.unit_rows(self.vectors * (self.degrees > 0)[:, None])

    def extension(self) -> Matrix:
        """Matrix (n, m) that maps links (r, n) of new rows to embedding coordinates (r, m).

        Its entries are U_ij / (lambda_j sqrt(d_i)), and 0 where lambda_j is 0.
        """
        sizes = np.abs(self.values) > ZERO_EIGENVALUE
        inverse = np.divide(1.0, self.values, out=np.zeros_like(self.values), where=sizes)
        return distances.rows_times(self.vectors, distances.inverse_lengths(self.degrees)) * inverse


def spectrum(W: sp.csr_array, m: int) -> Spectrum:
    """Return the degrees, and the m largest eigenvalues with eigenvectors, of the graph W (n, n).

    >>> W = sp.csr_array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    >>> spectrum(W, 2).embedding()
    array([[1., 0.],
           [1., 0.],
           [0., 1.]])
    """
    return Spectrum(operators.row_sums(W), *leading(W, m))


def leading(W: sp.csr_array, m: int) -> tuple[Vector, Matrix]:
    """The m largest eigenvalues of the normalized graph W, largest first, and eigenvectors.

    Of equal eigenvalues that of the larger component comes first, then that of the earlier row. The
    largest entry of a vector is positive.

    >>> W = sp.csr_array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    >>> values, vectors = leading(W, 2)
    >>> values, (vectors**2).round(2).tolist()
    (array([1., 1.]), [[0.5, 0.0], [0.5, 0.0], [0.0, 1.0]])
    """
    return largest(normalized(W), m)


def flattest(W: sp.csr_array, m: int) -> tuple[Vector, Matrix]:
    """The m smallest eigenvalues of the Laplacian D - W, smallest first, and eigenvectors.

    Those of eigenvalue 0 are constant on one connected component each.

    >>> values, vectors = flattest(sp.csr_array([[0.0, 1, 0], [1, 0, 0], [0, 0, 0]]), 3)
    >>> values.round(9) + 0.0, (vectors**2).round(2).tolist()
    (array([0., 0., 2.]), [[0.5, 0.0, 0.5], [0.5, 0.0, 0.5], [0.0, 1.0, 0.0]])
    """
    values, vectors = largest(sp.csr_array(W - sp.diags_array(operators.row_sums(W))), m)
    return -values, vectors


def largest(S: sp.csr_array, m: int) -> tuple[Vector, Matrix]:
    """The m largest eigenvalues of a symmetric S (n, n), largest first, and eigenvectors."""
    m = min(m, S.shape[0])
    parts = components(S)
    found = [_solved(S if len(parts) == 1 else S[rows][:, rows], m) for rows in parts]
    values = np.concatenate([part for part, _ in found])
    owner = np.repeat(np.arange(len(parts)), [len(part) for part, _ in found])
    place = np.concatenate([np.arange(len(part)) for part, _ in found])
    # Rounded, so that eigenvalues equal up to rounding keep the order of components.
    first = np.argsort(-np.round(values / EQUAL_EIGENVALUES), kind="stable")[:m]
    vectors = np.zeros((S.shape[0], m))
    for j, i in enumerate(first):
        vectors[parts[owner[i]], j] = found[owner[i]][1][:, place[i]]
    return values[first], vectors


def normalized(W: sp.csr_array) -> sp.csr_array:
    """Symmetrically normalized graph D^-1/2 W D^-1/2 (n, n); rows without links stay empty."""
    scale = sp.diags_array(distances.inverse_lengths(operators.row_sums(W)))
    S = sp.csr_array(scale @ W @ scale)
    S.eliminate_zeros()
    return S


def components(S: sp.csr_array) -> list[np.ndarray]:
    """Row positions of each connected component; largest component first.

    >>> [rows.tolist() for rows in components(sp.csr_array(np.eye(3)[[0, 2, 1]]))]
    [[1, 2], [0]]
    """
    _, owner = connected_components(S, directed=False)
    order = np.argsort(owner, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(owner))[:-1])
    return sorted(parts, key=lambda rows: (-len(rows), rows[0]))


def _solved(S: sp.csr_array, m: int) -> tuple[Vector, Matrix]:
    """The m largest eigenvalues of a connected graph S (n, n), and eigenvectors."""
    n = S.shape[0]
    m = min(m, n)
    if n == 1:
        return operators.row_sums(S), np.ones((1, 1))
    large = n > DENSE and 3 * m <= n  # Lanczos steps are slow for many vectors
    found = _in_steps(S, m) if large else _in_few_steps(S, m)
    values, vectors = found or extreme_eigenvectors.largest(S.toarray(), m)
    down = np.argsort(-values, kind="stable")
    return values[down], _signed(vectors[:, down])


def _in_steps(S: sp.csr_array, m: int) -> tuple[Vector, Matrix] | None:
    """The m largest eigenvalues of S (n, n) and vectors; None if they need a dense matrix.

    InputError if they do, and it is too large.
    """
    n = S.shape[0]
    return unless_close(n, lambda: lanczos.largest(lambda x: S @ x, n, m))


def unless_close(
    n: int, steps: Callable[[], tuple[Vector, Matrix]]
) -> tuple[Vector, Matrix] | None:
    """Return what Lanczos steps for n rows find; None if they need a dense matrix.

    InputError if they do, as eigenvalues are too close together, and it is too large.

    >>> unless_close(2, lambda: (np.ones(1), np.eye(2, 1)))[0]
    array([1.])
    """
    try:
        return steps()
    except ArpackNoConvergence as error:
        if n <= MOST_DENSE:
            return None
        raise InputError(
            f"the similarities of {n:,} rows have eigenvalues too close together for Lanczos "
            f"steps, and their dense matrix is too large: give at most {MOST_DENSE:,} rows."
        ) from error


def _in_few_steps(S: sp.csr_array, m: int) -> tuple[Vector, Matrix] | None:
    """The m largest eigenvalues of S (n, n) and vectors; None if they need a dense matrix."""
    n = S.shape[0]
    if n <= FEW or FEW_VECTORS * m > n or FEW_LINKS * S.nnz > n * n:
        return None
    try:
        steps = n // ROWS_PER_RESTART
        values, vectors = eigsh(S, k=m, which="LA", v0=lanczos.start(n), maxiter=steps)
        near = NEAR_EIGENVALUES * np.abs(S.data).max()
        if np.diff(np.sort(values)).min(initial=np.inf) < near:
            return None
        beside = lanczos.beside(lambda x: S @ x, values, vectors, restarts=20)
    except ArpackNoConvergence:
        return None
    return (values, vectors) if beside < values.min() - near else None


def _signed(vectors: Matrix) -> Matrix:
    """Fix the signs of eigenvectors: flip columns whose largest entry is negative."""
    sizes = np.abs(vectors)
    largest = (sizes > (1 - EQUAL_EIGENVALUES) * sizes.max(axis=0)).argmax(axis=0)
    return vectors * np.where(vectors[largest, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
