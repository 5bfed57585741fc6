"""Distances between rows of one task, seen through their associations with the rows of all tasks.

    A_ij = sum_s alpha_ts |V^ts_i - V^ts_j|^2                                                (9)

Exact cheaper forms. With G = sum_s alpha_ts V^ts V^ts', A_ij = G_ii + G_jj - 2 G_ij. For cosines
G = Z_t C Z_t' with C = sum_s alpha_ts Z_s'Z_s (D, D), so that D takes the place of all rows;
where rows are fewer than features, and for kernels, G is summed over blocks of the V^ts.

Source  Zhang, Zhang, Liu (2019), section 3.4.
"""

import numpy as np

from kinfolk.arrays import Matrix, Vector
from kinfolk.numerics import distances, operators
from kinfolk.numerics.associations import Association
from kinfolk.numerics.features import Features


def grams(V: Association, Z: list[Features]) -> list[Matrix] | None:
    """Z_s'Z_s (D, D) of each task for the `Geometry` of all; None where they outweigh the rows."""
    n_all, D = sum(z.shape[0] for z in Z), Z[0].shape[1]
    return [_gram(z) for z in Z] if V.linear and len(Z) * D <= n_all else None


class Geometry:
    """Squared distances A of equation (9) from any rows to the rows of one task t.

    Attributes
    ----------
    sizes : (n_t,), G_ii of the task's own rows
    """

    def __init__(
        self,
        V: Association,
        Z: list[Features],
        alpha: Vector,
        t: int,
        grams: list[Matrix] | None = None,
    ) -> None:
        self._V, self._Z, self._alpha, self._own = V, Z, alpha, Z[t]
        n_all, (n, D) = sum(z.shape[0] for z in Z), self._own.shape
        self._C = _weighted_gram(Z, alpha, grams) if V.linear and n_all > D else None
        self._reference: Matrix | None = None
        if self._C is not None:
            self._reference, self.sizes = np.empty((n, D)), np.empty(n)
            for rows in operators.blocks(n, D):
                own = self._own.rows(rows).dense()
                np.matmul(own, self._C, out=self._reference[rows])
                self.sizes[rows] = np.einsum("ij,ij->i", self._reference[rows], own)
        elif n_all <= max(D, operators.BLOCK // n):
            self._reference = self._associations(self._own)
            self.sizes = distances.squared_norms(self._reference)
        else:
            self.sizes = self._streamed(self._own, against_own=False)[1]

    def blocks(self) -> list[slice]:
        """Blocks of the task's rows whose distances fit into one block of memory."""
        return operators.blocks(self._own.shape[0], max(self._own.shape))

    def among(self, rows: slice) -> tuple[Matrix, Vector]:
        """A from these rows of the task to all of its rows, and their sizes."""
        if self._reference is None:
            G = self._streamed(self._own.rows(rows))[0]
        elif self._C is not None:
            G = self._own.rows(rows).dense() @ self._reference.T
        else:
            G = self._reference[rows] @ self._reference.T
        return self._apart(G, self.sizes[rows]), self.sizes[rows]

    def distances(self, rows: Features) -> tuple[Matrix, Vector]:
        """A (m, n_t) from new rows to those of the task, and the sizes G_ii (m,)."""
        if self._reference is None:
            G, sizes = self._streamed(rows)
        elif self._C is not None:
            Z = rows.dense()
            G, sizes = Z @ self._reference.T, np.einsum("ij,ij->i", Z @ self._C, Z)
        else:
            F = self._associations(rows)
            G, sizes = F @ self._reference.T, distances.squared_norms(F)
        return self._apart(G, sizes), sizes

    def _apart(self, G: Matrix, sizes: Vector) -> Matrix:
        G *= -2.0
        G += sizes[:, None]
        G += self.sizes[None, :]
        return np.maximum(G, 0.0, out=G)

    def _associations(self, rows: Features) -> Matrix:
        """[sqrt(alpha_1) V^t1, sqrt(alpha_2) V^t2, ...] for these rows, (m, n_all)."""
        weighed = zip(self._Z, self._alpha, strict=True)
        return np.hstack([np.sqrt(a) * self._V.tile(rows, z) for z, a in weighed])

    def _streamed(self, rows: Features, against_own: bool = True) -> tuple[Matrix, Vector]:
        """G (m, n_t) and sizes (m,), summed over blocks of the columns of V."""
        n = self._own.shape[0]
        G, sizes = np.zeros((rows.shape[0], n if against_own else 0)), np.zeros(rows.shape[0])
        for z, a in zip(self._Z, self._alpha, strict=True):
            for columns in operators.blocks(z.shape[0], n):
                part = z.rows(columns)
                left = self._V.tile(rows, part)
                sizes += a * distances.squared_norms(left)
                if against_own:
                    G += (a * left) @ self._V.tile(self._own, part).T
        return G, sizes


def _weighted_gram(Z: list[Features], alpha: Vector, grams: list[Matrix] | None) -> Matrix:
    """C = sum_s alpha_s Z_s'Z_s (D, D)."""
    C = np.zeros((Z[0].shape[1],) * 2)
    for a, G in zip(alpha, grams or map(_gram, Z), strict=True):
        C += a * G
    return C


def _gram(Z: Features) -> Matrix:
    """Z'Z (D, D)."""
    n, D = Z.shape
    G = np.zeros((D, D))
    for rows in operators.blocks(n, D):
        part = Z.rows(rows).dense()
        G += part.T @ part
    return G
