"""Features of the same rows in several tables, such as the layers of a network, used as one."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.numerics import distances, operators


@dataclass(frozen=True, eq=False)
class Features:
    """Tables side by side, (n, D) in all, never copied into one.

    >>> Z = Features([np.ones((2, 3)), np.zeros((2, 1))])
    >>> Z.shape, Z.squared_norms()
    ((2, 4), array([3., 3.]))
    """

    tables: list[Table]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows n and columns D of all tables."""
        return self.tables[0].shape[0], sum(Z.shape[1] for Z in self.tables)

    def rows(self, index: slice | np.ndarray) -> "Features":
        """Rows at these positions."""
        return Features([Z[index] for Z in self.tables])

    def inner(self, other: "Features") -> Matrix:
        """Inner products (n, n_other) of each row with each row of `other`."""
        pairs = list(zip(self.tables, other.tables, strict=True))
        total = operators.dense(pairs[0][0] @ pairs[0][1].T)
        for a, b in pairs[1:]:
            total += operators.dense(a @ b.T)
        return total

    def single(self) -> "Features":
        """Copy the rows in single precision."""
        return Features([Z.astype(np.float32) for Z in self.tables])

    def double(self) -> "Features":
        """Rows in double precision, copied where they are not."""
        return Features([Z.astype(np.float64, copy=False) for Z in self.tables])

    def dense(self) -> Matrix:
        """Copy the rows into one dense table (n, D)."""
        return np.hstack([operators.dense(Z) for Z in self.tables])

    def merged(self) -> Table:
        """Copy the rows into one table, sparse if all parts are."""
        if all(sp.issparse(Z) for Z in self.tables):
            return operators.hstack(self.tables)
        return self.dense()

    def squared_norms(self) -> Vector:
        """Squared lengths of the rows (n,)."""
        return np.add.reduce([distances.squared_norms(Z) for Z in self.tables])


def by_task(tables: list[Table], codes: Labels) -> list[Features]:
    """Divide tables (n, d_1), (n, d_2), ... by the task of each row; empties the list.

    >>> first, second = by_task([np.array([[5.0], [6.0], [7.0]])], np.array([0, 1, 0]))
    >>> first.dense(), second.dense()
    (array([[5.],
           [7.]]), array([[6.]]))
    """
    own = [np.flatnonzero(codes == t) for t in range(int(codes.max()) + 1)]
    parts: list[list[Table]] = [[] for _ in own]
    while tables:
        table = tables.pop(0)  # so that rows are held once, but for one table
        for part, rows in zip(parts, own, strict=True):
            part.append(table[rows])
    return [Features(part) for part in parts]
