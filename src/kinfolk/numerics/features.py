"""Several tables of the same rows (such as layers of a network) used as one table."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.numerics import distances, operators


@dataclass(frozen=True, eq=False)
class Features:
    """Tables side by side, (n, D) in all, kept as a list and never concatenated.

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
        """Select the rows at these positions."""
        return Features([Z[index] for Z in self.tables])

    def inner(self, other: "Features") -> Matrix:
        """Inner products (n, m) of each row with each row of `other`."""
        pairs = list(zip(self.tables, other.tables, strict=True))
        total = operators.dense(pairs[0][0] @ pairs[0][1].T)
        for a, b in pairs[1:]:
            total += operators.dense(a @ b.T)
        return total

    def single(self) -> "Features":
        """Convert the rows to single precision."""
        return Features([Z.astype(np.float32) for Z in self.tables])

    def double(self) -> "Features":
        """Convert the rows to double precision; tables that have it are not copied."""
        return Features([Z.astype(np.float64, copy=False) for Z in self.tables])

    def dense(self) -> Matrix:
        """Concatenate the tables into one dense table (n, D)."""
        return np.hstack([operators.dense(Z) for Z in self.tables])

    def merged(self) -> Table:
        """Concatenate the tables into one, sparse if all of them are."""
        if all(sp.issparse(Z) for Z in self.tables):
            return operators.hstack(self.tables)
        return self.dense()

    def squared_norms(self) -> Vector:
        """Squared lengths of the rows (n,)."""
        return np.add.reduce([distances.squared_norms(Z) for Z in self.tables])


def by_task(tables: list[Table], codes: Labels) -> list[Features]:
    """Split tables of the same rows by the rows' tasks; empties the list given, to save memory.

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
