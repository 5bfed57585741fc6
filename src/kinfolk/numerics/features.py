"""Features of the same rows in several tables, such as the layers of a network, used as one."""

import numpy as np
import scipy.sparse as sp

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.numerics import distances, operators


class Features:
    """Tables side by side, (n, D) in all, never copied into one."""

    def __init__(self, tables: list[Table]) -> None:
        self.tables = tables
        self.shape = (tables[0].shape[0], sum(Z.shape[1] for Z in tables))

    def rows(self, index: slice | np.ndarray) -> "Features":
        """The rows at these positions."""
        return Features([Z[index] for Z in self.tables])

    def inner(self, other: "Features") -> Matrix:
        """All inner products of rows, (n, n_other)."""
        pairs = list(zip(self.tables, other.tables, strict=True))
        total = operators.dense(pairs[0][0] @ pairs[0][1].T)
        for a, b in pairs[1:]:
            total += operators.dense(a @ b.T)
        return total

    def single(self) -> "Features":
        """The same rows in single precision."""
        return Features([Z.astype(np.float32) for Z in self.tables])

    def double(self) -> "Features":
        """The same rows in double precision."""
        return Features([Z.astype(np.float64, copy=False) for Z in self.tables])

    def dense(self) -> Matrix:
        """The rows as one dense table (n, D)."""
        return np.hstack([operators.dense(Z) for Z in self.tables])

    def merged(self) -> Table:
        """The rows as one table, sparse if all parts are."""
        if all(sp.issparse(Z) for Z in self.tables):
            return sp.csr_array(sp.hstack(self.tables))
        return self.dense()

    def squared_norms(self) -> Vector:
        """Squared lengths of the rows (n,)."""
        return np.add.reduce([distances.squared_norms(Z) for Z in self.tables])
