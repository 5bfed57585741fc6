"""Gram matrix of cosines of rows in blocks, as an operator with products.

    part      of a block: Z'Y (d, k), or Z'Z (d, d)
    combine   sums
    finish    the rows Z (Z'Y), block by block

Y (n, k) and what comes of it are in memory; the rows are not.
"""

from typing import Any, NamedTuple, Self

import numpy as np

from kinfolk.arrays import Labels, Matrix, Table, Vector
from kinfolk.blocks.block import Block
from kinfolk.blocks.blocks import Blocks
from kinfolk.blocks.kernel import check_signs, lowest
from kinfolk.errors import InputError
from kinfolk.numerics import backend, distances, operators

WIDEST = 2**13
"""Most columns d of rows in blocks: sums such as Z'Z hold d^2 numbers in memory."""


class BlockGram(NamedTuple):
    """Cosine similarity diag(s) Z Z' diag(s) of unit rows Z (n, d) in blocks, as products.

    >>> rows = Blocks(np.array([[2.0, 0.0], [0.0, 3.0], [1.0, 1.0]]), block_rows=2)
    >>> M = cosines(rows)
    >>> M.times(np.ones((3, 1))).ravel(), M.squared_norm()
    (array([1.707, 1.707, 2.414]), 5.0)
    """

    rows: Blocks
    signed: bool
    s: Vector | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.rows.shape[0]

    def times(self, Y: Matrix) -> Matrix:
        """Product M Y (n, k) with Y (n, k), in two passes over the rows."""
        found: Matrix = self.rows.gathered(_times, self.crossed(Y))
        return found if self.s is None else found * self.s[:, None]

    def crossed(self, Y: Matrix) -> Matrix:
        """Product Z'diag(s) Y (d, k) with Y (n, k), in one pass over the rows."""
        scaled = Y if self.s is None else Y * self.s[:, None]
        found: Matrix = self.rows.total(_crossed, of_rows=(scaled,))
        return found

    def parts(self, Y: Matrix) -> tuple[Matrix, Matrix | None]:
        """Return (M Y, None); only valid if no cosine is negative.

        Raises
        ------
        InputError : rows have negative entries
        """
        check_signs(self.signed)
        return self.times(Y), None

    def squared_norm(self) -> float:
        """Squared Frobenius norm |M|_F^2, computed as |Z'diag(s)^2 Z|_F^2."""
        check_width(self.rows)
        s = np.ones(self.n) if self.s is None else self.s
        return float(np.square(self.rows.total(_squares, of_rows=(s,))).sum())

    def scaled(self, s: Vector) -> Self:
        """Return the matrix diag(s) M diag(s) for s (n,)."""
        return self._replace(s=s if self.s is None else s * self.s)


def cosines(rows: Blocks) -> BlockGram:
    """Cosine similarity of rows in blocks, as an operator."""
    return BlockGram(rows, bool(rows.total(lowest, combine=min) < 0))


def check_width(rows: Blocks) -> None:
    """Raise InputError if a (d, d) matrix for the d columns would not fit in memory."""
    if rows.shape[1] > WIDEST:
        raise InputError(
            f"X is in blocks and has {rows.shape[1]} columns, whose products with each other would "
            f"fill the memory; give at most {WIDEST}, such as the most frequent."
        )


def nearest(block: Block, V: Matrix) -> Labels:
    """Index (m,) of the center V (k, d) nearest to each row scaled to unit length."""
    return backend.lowest(distances.squared(_unit(block), V))


def _unit(block: Block) -> Table:
    return distances.unit_rows(block.x)


def _times(block: Block, C: Matrix) -> Matrix:
    return operators.times(_unit(block), C)


def _crossed(block: Block, Y: Matrix) -> Matrix:
    return operators.crossed(_unit(block), Y)


def _squares(block: Block, s: Vector) -> Any:
    Z = distances.rows_times(_unit(block), s)
    return operators.crossed(Z, Z)
