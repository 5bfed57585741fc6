"""Concatenates per-row results of several blocks in the order of the rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from kinfolk.blocks.block import Block
from kinfolk.blocks.reading import Reader, located


def joined(*pieces: Any) -> Any:
    """Concatenate arrays, sparse tables or blocks by row.

    >>> joined(np.array([1, 2]), np.array([3]))
    array([1, 2, 3])
    """
    first = pieces[0]
    if len(pieces) == 1 or first is None:
        return first
    if isinstance(first, Block):
        return Block(*(joined(*parts) for parts in zip(*pieces, strict=True)))
    if sp.issparse(first):
        return sp.csr_array(sp.vstack(pieces, format="csr"))
    return np.concatenate(pieces)


@dataclass(frozen=True)
class Taken:
    """Function object that reads a block and selects rows by position."""

    reader: Reader

    def __call__(self, data: Any, weight: Any, tasks: Any, place: str, rows: Any, _: Any) -> Block:
        """Read the block and return the rows at these ascending positions as one block."""
        start = 0
        found = []
        for piece in located(self.reader.blocks(data, weight, tasks), place):
            stop = start + piece.shape[0]
            own = rows[(rows >= start) & (rows < stop)] - start
            found.append(piece.taken(own).on_host())
            start = stop
        return joined(*found)
