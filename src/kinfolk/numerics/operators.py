"""Products with dense or sparse tables, and symmetric matrices given by products.

Methods use a similarity only through its products with Y, so it need not be formed. Each operator
M (n, n) offers

    times(Y)        M Y
    parts(Y)        (P Y, N Y) for a split M = P - N into non-negative matrices; N Y is None
                    where M itself is non-negative
    squared_norm()  |M|_F^2

Exact  a table of single precision stays as it is: products with it and its means are made in
       double precision, block by block, so that they are those of the same numbers in double
       precision and no second table is held.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, cast

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Matrix, Operand, Table, Vector
from kinfolk.numerics import backend, signs

BLOCK = 2**20
"""Numbers in one working block: 8 MB in double precision."""
CACHE = 2**18
"""Numbers that stay in a processor's cache: 2 MB."""
SPARSE = 12
"""Numbers of a dense table in the cache that cost as much as one of a sparse table."""
CALL = 2**15
"""Numbers of a dense table in the cache that cost as much as any product with a sparse table."""


SAFE_EXPONENT = 300
"""Largest exponent of 2, of either sign, of entries whose squares and sums keep all digits."""


class Symmetric(Protocol):
    """Interface of a symmetric matrix M (n, n) that is only accessed by products."""

    @property
    def n(self) -> int:
        """Number of rows."""

    def times(self, Y: Matrix) -> Matrix:
        """Product M Y with Y (n, r)."""

    def parts(self, Y: Matrix) -> tuple[Matrix, Matrix | None]:
        """Products (P Y, N Y) for M = P - N with P, N >= 0; (M Y, None) if M >= 0."""

    def squared_norm(self) -> float:
        """Squared Frobenius norm |M|_F^2."""

    @property
    def signed(self) -> bool:
        """True if M may have negative entries."""

    def scaled(self, s: Vector) -> "Symmetric":
        """Return the matrix diag(s) M diag(s) for s (n,)."""


def blocks(n: int, width: int) -> list[slice]:
    """Slices of n rows such that each slice of rows of this width fits in `BLOCK` numbers.

    >>> blocks(5, BLOCK // 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, min(n, BLOCK // max(width, 1)))
    return [slice(i, min(i + step, n)) for i in range(0, n, step)]


def times(X: Operand, W: Matrix) -> Matrix:
    """Product X W (n, r) of a table X (n, d) with W (d, r), or (d,), in double precision.

    >>> times(np.array([[0.5, 2.0]], dtype=np.float32), np.array([[1.0], [1e-9]])).item()
    0.500000002
    """
    if backend.is_other(X):
        return backend.host(product(X, W))
    if X.dtype == np.float64:
        return np.asarray(X @ W)
    found = np.empty((X.shape[0], *W.shape[1:]))
    for rows in _row_blocks(X):
        found[rows] = _double(X[rows]) @ W
    return found


def product(X: Operand, W: Matrix) -> Any:
    """Product X W on the device of X, as an array of X's library."""
    if backend.is_other(X):
        return backend.double(X) @ backend.beside(_double(W), X)
    return times(X, W)


def crossed(X: Operand, Y: Operand) -> Matrix:
    """Product X'Y (d, r) of tables X (n, d) and Y (n, r), dense, in double precision.

    >>> crossed(np.ones((3, 1), dtype=np.float32), np.full((3, 1), 1e-9)).item()
    3e-09
    """
    if backend.is_other(X):
        return backend.host(backend.double(X).T @ backend.beside(_double(Y), X))
    if X.dtype == np.float64:
        return dense(X.T @ _double(Y))
    X, Y = (sp.csr_array(A) if sp.issparse(A) else A for A in (X, Y))
    product = np.zeros((X.shape[1], Y.shape[1]))
    for rows in _row_blocks(X):
        product += dense(_double(X[rows]).T @ _double(Y[rows]))
    return product


def mean(X: Table) -> Vector:
    """Mean of the rows (d,), computed in double precision."""
    return sums(X) / X.shape[0]


def sums(X: Table) -> Vector:
    """Column sums (d,), computed in double precision."""
    if sp.issparse(X):
        return crossed(X, np.ones((X.shape[0], 1))).ravel()
    if backend.is_other(X):
        return backend.host(backend.namespace(X).sum(backend.double(X), axis=0))
    return np.asarray(X.sum(axis=0, dtype=np.float64))


def with_squares(X: Table) -> tuple[Table, float]:
    """Scale a table by a power of 2 if squares of its entries would overflow or vanish.

    Returns
    -------
    X : (n, d), itself if squares of its largest entry and sums of them are far from 0 and infinity
    factor : what it was multiplied by, which changes no digit

    Examples
    --------
    >>> with_squares(np.array([[3e200, 1e200]]))[0].round(2), with_squares(np.ones((1, 1)))[1]
    (array([[0.98, 0.33]]), 1.0)
    """
    exponent = int(np.frexp(largest(X))[1])
    if abs(exponent) <= SAFE_EXPONENT:
        return X, 1.0
    # The smallest numbers have fewer digits, and their reciprocals are infinite.
    factor = math.ldexp(1.0, min(max(-exponent, -1000), 1000))
    return X * factor, factor


class Explicit:
    """A symmetric matrix held in memory, dense or sparse.

    >>> PY, NY = Explicit(np.array([[2.0, -1.0], [-1.0, 2.0]])).parts(np.eye(2))
    >>> PY, NY
    (array([[2., 0.],
           [0., 2.]]), array([[0., 1.],
           [1., 0.]]))
    """

    def __init__(self, M: Table) -> None:
        self.n = M.shape[0]
        self._M = _quick(M)
        self.signed = _signed(M)
        self._halves: list[Table] = []

    def times(self, Y: Matrix) -> Matrix:
        """Product M Y with Y (n, r)."""
        return times(self._M, Y)

    def parts(self, Y: Matrix) -> tuple[Matrix, Matrix | None]:
        """Products (P Y, N Y) with the positive and negative parts of M; (M Y, None) if M >= 0."""
        if not self.signed:
            return times(self._M, Y), None
        if not self._halves:  # made at first use: exact descents take M only
            self._halves = [_quick(half) for half in signs.parts(self._M)]
        P, N = self._halves
        return times(P, Y), times(N, Y)

    def squared_norm(self) -> float:
        """Squared Frobenius norm: the sum of squared entries."""
        return float(np.sum(np.square(entries(self._M), dtype=np.float64)))

    def scaled(self, s: Vector) -> "Explicit":
        """Return the matrix diag(s) M diag(s) for s (n,).

        >>> M = Explicit(np.array([[2.0, 1.0], [1.0, 2.0]]))
        >>> M.scaled(np.array([1.0, 3.0])).times(np.eye(2))
        array([[ 2.,  3.],
               [ 3., 18.]])
        """
        if sp.issparse(self._M):
            S = sp.diags_array(s)
            return Explicit(sp.csr_array(S @ self._M @ S))
        return Explicit(s[:, None] * self._M * s)


class Gram:
    """The Gram matrix Z Z' (n, n) of tables Z = [Z_1, Z_2, ...] side by side, never formed.

    N has the negative entries of Z Z', as in `Explicit`, if they are no more numbers than Z holds.
    Else, with Z+ and Z- the positive and negative parts of Z, ZZ' = P - N for
    P = Z+Z+' + Z-Z-' and N = Z+Z-' + Z-Z+'.
    """

    def __init__(self, tables: list[Table]) -> None:
        self.n = tables[0].shape[0]
        self._tables = tables
        self.signed = any(map(_signed, tables))
        self._halves: list[tuple[Any, Any]] = []
        self._negative: list[sp.csr_array] | None = None

    def times(self, Y: Matrix) -> Matrix:
        """Product Z (Z'Y) of the Gram matrix with Y (n, r)."""
        return np.add.reduce([times(Z, crossed(Z, Y)) for Z in self._tables])

    def parts(self, Y: Matrix) -> tuple[Matrix, Matrix | None]:
        """Products (P Y, N Y) for Z Z' = P - N, or (Z Z'Y, None) where Z Z' is non-negative."""
        if not self.signed:
            return self.times(Y), None
        if self._negative is None:  # made at first use: exact descents take Z only
            self._negative = list(self._negative_entries())
        if sum(part.nnz for part in self._negative) <= self._size():
            return self._by_entries(Y, self._negative)
        if not self._halves:
            self._halves = [signs.parts(Z) for Z in self._tables]
        PY = np.zeros_like(Y)
        NY = np.zeros_like(Y)
        for up, down in self._halves:
            a = crossed(up, Y)
            b = crossed(down, Y)
            PY += times(up, a) + times(down, b)
            NY += times(up, b) + times(down, a)
        return PY, NY

    def _by_entries(self, Y: Matrix, negative: list[sp.csr_array]) -> tuple[Matrix, Matrix | None]:
        """Split the product Z Z'Y by listing the negative entries of Z Z', if any."""
        MY = self.times(Y)
        if not any(part.nnz for part in negative):
            return MY, None
        NY = np.vstack([part @ Y for part in negative])
        # P Y is not negative, but the difference of the two may be, by rounding.
        return np.maximum(MY + NY, 0.0), NY

    def _negative_entries(self) -> Iterator[sp.csr_array]:
        """Yield row blocks of the negative part N; stop when it outgrows Z."""
        found = 0
        for rows in blocks(self.n, self.n):
            M = np.add.reduce([crossed(Z[rows].T, Z.T) for Z in self._tables])
            part = sp.csr_array(np.maximum(-M, 0.0))
            yield part
            found += part.nnz
            if found > self._size():
                return

    def _size(self) -> int:
        return sum(entries(Z).size for Z in self._tables)

    def squared_norm(self) -> float:
        """Squared Frobenius norm |ZZ'|_F^2, from the smaller of Z'Z and ZZ' in blocks."""
        d = sum(Z.shape[1] for Z in self._tables)
        return float(sum(np.sum(np.square(B)) for B in self._products(d)))

    def scaled(self, s: Vector) -> "Gram":
        """Return the Gram matrix of the rows scaled by s (n,)."""
        S = sp.diags_array(s)
        return Gram(
            [sp.csr_array(S @ Z) if sp.issparse(Z) else Z * s[:, None] for Z in self._tables]
        )

    def _products(self, d: int) -> Iterator[Matrix]:
        """Yield blocks of Z Z' if n <= d, else of Z'Z (d, d)."""
        if self.n <= d:
            for rows in blocks(self.n, self.n):
                yield np.add.reduce([crossed(Z[rows].T, Z.T) for Z in self._tables])
            return
        for left in self._tables:
            for right in self._tables:
                for columns in blocks(left.shape[1], right.shape[1]):
                    yield crossed(left[:, columns], right)


def gram(tables: list[Table]) -> Symmetric:
    """Gram matrix Z Z' of tables side by side; formed if it is no larger than they, or quicker."""
    n = tables[0].shape[0]
    work = 2 * sum(map(_work, tables))
    # Of signed tables a formed Z Z' is split into other P and N, so that steps would differ.
    quicker = n * n <= min(CACHE, work) and not any(map(_signed, tables))
    if not quicker and n * n > sum(entries(Z).size for Z in tables):
        return Gram(tables)
    return Explicit(np.add.reduce([crossed(Z.T, Z.T) for Z in tables]))


def _quick(M: Table) -> Table:
    """Convert a small, well-filled sparse M to dense where products are faster then."""
    numbers = M.shape[0] * M.shape[1]
    return dense(M) if numbers <= min(CACHE, _work(M)) else M


def _work(Z: Table) -> int:
    """Cost of multiplying Z by one column, counted in entries of a dense table."""
    return CALL + SPARSE * Z.nnz if sp.issparse(Z) else Z.size


def _signed(Z: Table) -> bool:
    return bool(entries(Z).min(initial=0.0) < 0)


def entries(Z: Any) -> np.ndarray:
    """Stored entries of a table: all of a dense one, the explicit ones of a sparse one."""
    return cast(Any, Z).data if sp.issparse(Z) else Z


def largest(X: Any) -> Any:
    """Largest absolute entry of a table, 0 without any.

    >>> float(largest(np.array([[1.0, -3.0]]))), float(largest(sp.csr_array((2, 2))))
    (3.0, 0.0)
    """
    # Two reductions need no copy of |X|.
    values = entries(X)
    return np.maximum(values.max(initial=0.0), -values.min(initial=0.0))


def scales(tables: Sequence[Table]) -> Vector:
    """Largest absolute entry of each table, 1 for a table of zeros.

    >>> scales([np.array([[1.0, -3.0]]), np.zeros((2, 1))])
    array([3., 1.])
    """
    found = np.array([float(largest(T)) for T in tables])
    return np.where(found > 0, found, 1.0)


def _double(A: Operand) -> Any:
    return backend.double(A)


def _row_blocks(X: Operand) -> list[slice]:
    n, d = X.shape
    return blocks(n, X.nnz // max(n, 1) if sp.issparse(X) else d)


def row_sums(S: Any) -> Vector:
    """Row sums (n,) of a sparse matrix (n, d)."""
    return np.asarray(S.sum(axis=1)).ravel()


def hstack(tables: Sequence[Any]) -> Table:
    """Concatenate tables side by side; CSR if any of them is sparse."""
    if any(map(sp.issparse, tables)):
        return sp.csr_array(sp.hstack(tables))
    return np.hstack(tables)


def vstack(tables: Sequence[Any]) -> Table:
    """Concatenate tables below each other; CSR if any of them is sparse."""
    if any(map(sp.issparse, tables)):
        return sp.csr_array(sp.vstack(tables))
    return np.vstack(tables)


def dense(A: Any) -> Matrix:
    """Convert a table to a dense array."""
    return cast(Any, A).toarray() if sp.issparse(A) else np.asarray(backend.host(A))


def in_form_of(fitted: Table, X: Table) -> Table:
    """Convert new rows X (m, d) to the form of the rows of a fit: CSR if these are, else dense.

    >>> in_form_of(np.eye(2), sp.csr_array([[0.0, 3.0]]))
    array([[0., 3.]])
    """
    return sp.csr_array(cast(Any, X)) if sp.issparse(fitted) else dense(X)
