"""Distances between a task's rows, as vectors of affinities to the rows of all tasks (MTCFIR).

    A_ij = sum_s alpha_ts |V^ts_i - V^ts_j|^2                                                (9)

Exact cheaper forms. With G = sum_s alpha_ts V^ts V^ts', A_ij = G_ii + G_jj - 2 G_ij. For cosines
G = Z_t C Z_t' with C = sum_s alpha_ts Z_s'Z_s (D, D), so that D takes the place of all rows;
where rows are fewer than features, and for kernels, G is summed over blocks of the V^ts.

Source  Zhang, Zhang, Liu (2019), section 3.4.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.linalg.blas import dsyrk, ssyrk

from kinfolk.arrays import Matrix, Vector
from kinfolk.numerics import distances, memo, operators
from kinfolk.numerics.associations import Association
from kinfolk.numerics.features import Features


@memo.remembered
def grams(
    V: Association, Z: Sequence[Features], precision: type[np.floating] = np.float64
) -> tuple[Vector, ...] | None:
    """Upper triangles of Z_s'Z_s (D, D) for each task s, computed once and shared by all tasks.

    None where no geometry needs them, or where they are large and hold more numbers than the rows.

    >>> from kinfolk.numerics.affinities import Cosine
    >>> grams(Cosine(), [Features([np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])])])
    (array([1.36, 0.48, 1.64]),)
    """
    n_all = sum(z.shape[0] for z in Z)
    D = Z[0].shape[1]
    # Without them each of T geometries sums up T of them, which takes long where tasks are many.
    too_large = len(Z) * D**2 > max(n_all * D, operators.BLOCK)
    if not V.linear or n_all <= D or too_large:
        return None
    return tuple(triangle(z, precision) for z in Z)


class Geometry:
    """Squared distances (9) from any rows to those of task t.

    A row is compared by its affinities to the rows of all tasks, not by its own columns.

    Parameters
    ----------
    V, Z, alpha : the association, the prepared rows of all tasks, and row t of equation (20)
    t : the task
    triangles : of `grams` for these rows, or for more rows of all tasks; None: computed here
    precision : of the products that A comes from; np.float32 takes half the time

    Attributes
    ----------
    sizes : (n_t,), G_ii of the task's own rows
    """

    def __init__(
        self,
        V: Association,
        Z: Sequence[Features],
        alpha: Vector,
        t: int,
        triangles: Sequence[Vector] | None = None,
        precision: type[np.floating] = np.float64,
    ) -> None:
        self._V, self._Z, self._alpha = V, Z, alpha
        single = V.linear and precision is np.float32  # kernels need double precision
        self._own = Z[t].single() if single else Z[t]
        n_all = sum(z.shape[0] for z in Z)
        n, D = self._own.shape
        self._C: Matrix | None = None
        self._left: dict[tuple[int, int], Features] = {}
        self._reference: Matrix | None = None
        # Triangles may be those of more rows, of which Z are some.
        if triangles is not None or (V.linear and n_all > D):
            parts_of_C = (triangle(z, precision) for z in Z) if triangles is None else triangles
            self._C = _unpacked(parts_of_C, alpha, D).astype(precision, copy=False)
            parts = []
            for rows in self.blocks():
                left, sizes = _weighed(self._own.rows(rows), self._C)
                parts.append(sizes)
                if precision is np.float32:  # in double they would cost more memory than time
                    self._left[rows.start, rows.stop] = left
            self.sizes = np.concatenate(parts)
        elif n_all <= max(D, operators.BLOCK // n):
            self._reference = self._associations(self._own)
            self.sizes = distances.squared_norms(self._reference)
        else:
            self.sizes = self._streamed(self._own, against_own=False)[1]

    def blocks(self) -> list[slice]:
        """Slices of the task's rows whose distances to all its rows fit into a block of memory."""
        return operators.blocks(self._own.shape[0], max(self._own.shape))

    def among(self, rows: slice) -> tuple[Matrix, Vector]:
        """Squared distances (m, n_t) of m of the task's rows to all of them; squared norms (m,)."""
        sizes = self.sizes[rows]
        if self._reference is not None:
            G: Matrix = self._reference[rows] @ self._reference.T
        elif left := self._left.get((rows.start, rows.stop)):
            G = left.inner(self._own)
        else:
            return self.distances(self._own.rows(rows))
        return self._from_products(G, sizes), sizes

    def distances(self, rows: Features) -> tuple[Matrix, Vector]:
        """Squared distances (m, n_t) of any m rows to all the task's rows; squared norms (m,)."""
        if self._C is not None:
            left, sizes = _weighed(rows, self._C)
            G = left.inner(self._own)
        elif self._reference is not None:
            F = self._associations(rows)
            G = F @ self._reference.T
            sizes = distances.squared_norms(F)
        else:
            G, sizes = self._streamed(rows)
        return self._from_products(G, sizes), sizes

    def _from_products(self, G: Matrix, sizes: Vector) -> Matrix:
        """Convert inner products G to squared distances in place, clipped at 0."""
        G *= -2.0
        G += sizes[:, None]
        G += self.sizes[None, :]
        return np.maximum(G, 0.0, out=G)

    def _associations(self, rows: Features) -> Matrix:
        """Affinity vectors (m, n_all) of these rows, weighted by the square roots of alpha."""
        weighed = zip(self._Z, self._alpha, strict=True)
        return np.hstack([np.sqrt(a) * self._V.tile(rows, z) for z, a in weighed])

    def _streamed(self, rows: Features, against_own: bool = True) -> tuple[Matrix, Vector]:
        """Inner products (m, n_t) and squared norms (m,) of affinity vectors, by column blocks."""
        n = self._own.shape[0]
        G = np.zeros((rows.shape[0], n if against_own else 0))
        sizes = np.zeros(rows.shape[0])
        for z, a in zip(self._Z, self._alpha, strict=True):
            for columns in operators.blocks(z.shape[0], n):
                part = z.rows(columns)
                left = self._V.tile(rows, part)
                sizes += a * distances.squared_norms(left)
                if against_own:
                    G += (a * left) @ self._V.tile(self._own, part).T
        return G, sizes


def _weighed(rows: Features, C: Matrix) -> tuple[Features, Vector]:
    """Rows times the matrix C (D, D), and the quadratic forms z'C z (m,)."""
    Z = rows.dense().astype(C.dtype, copy=False)
    left = Z @ C
    ends = np.cumsum([table.shape[1] for table in rows.tables])[:-1]
    return Features([*np.split(left, ends, axis=1)]), np.einsum("ij,ij->i", left, Z)


def triangle(Z: Features, precision: type[np.floating] = np.float64) -> Vector:
    """Upper triangle of Z'Z (D, D), row by row, as a vector.

    >>> triangle(Features([np.array([[1.0, 2.0], [0.0, 1.0]])]))
    array([1., 2., 5.])
    """
    n, D = Z.shape
    G = np.zeros((D, D), dtype=precision, order="F")
    # A symmetric update costs half of a product, and needs no second (D, D) matrix.
    add = dsyrk if precision is np.float64 else ssyrk
    for rows in operators.blocks(n, D):
        part = Z.rows(rows).dense().astype(precision, copy=False)
        G = add(1.0, part.T, beta=1.0, c=G, overwrite_c=True)
    return G[_upper(D)]


def _unpacked(triangles: Iterable[Vector], alpha: Vector, D: int) -> Matrix:
    """Weighted sum of tasks' Gram matrices, sum_s alpha_s Z_s'Z_s (D, D), from upper triangles."""
    total = np.zeros(D * (D + 1) // 2)
    for a, triangle in zip(alpha, triangles, strict=True):
        total += a * triangle
    C = np.empty((D, D))
    upper = _upper(D)
    C[upper] = total
    C.T[upper] = total
    return C


def _upper(D: int) -> np.ndarray:
    return ~np.tri(D, k=-1, dtype=bool)
