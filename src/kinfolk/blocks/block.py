"""`Block`: one block of rows in memory, with weights and tasks."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kinfolk.arrays import Table, Vector
from kinfolk.numerics import backend


class Block(NamedTuple):
    """One block: rows x (m, d), weights (m,), and task positions (m,).

    None stands for weights of 1, and for one task. A table in memory is one block: it has the
    methods of `Blocks`, which apply a function to it.
    """

    x: Table
    weight: Vector | None = None
    codes: Any = None

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        n, d = self.x.shape
        return int(n), int(d)

    @property
    def dtype(self) -> np.dtype:
        """NumPy type of the rows."""
        return backend.precision(self.x)

    def total(self, part: Callable[..., Any], *state: Any, combine: Any = None) -> Any:
        """Return `part(block, *state)`: a sum over one block, as `Blocks.total` over many."""
        return part(self, *state)

    def each(self, function: Callable[..., Any], *state: Any) -> Any:
        """Return `function(block, *state)`, which has an entry per row; as `Blocks.each`."""
        return function(self, *state)

    def sample(self, seed: int = 0) -> "Block":
        """Return the block itself: all its rows are in memory."""
        return self

    def taken(self, rows: Any) -> "Block":
        """Select rows by position.

        >>> Block(np.array([[1.0], [2.0]]), np.array([3.0, 4.0])).taken([1])
        Block(x=array([[2.]]), weight=array([4.]), codes=None)
        """
        weight, codes = (
            None if values is None else np.asarray(values)[rows]
            for values in (self.weight, self.codes)
        )
        return Block(backend.taken(self.x, rows), weight, codes)

    def on_host(self) -> "Block":
        """Return the block with its rows as NumPy or SciPy arrays in main memory."""
        return self._replace(x=backend.host(self.x))
