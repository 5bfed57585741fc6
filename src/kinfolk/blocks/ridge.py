"""Ridge regression of many targets on rows in blocks, by sums over rows.

The problem (R) of `numerics.ridge`, whose solution for targets y and z is, with X'X = Q diag(s) Q',

    w = z + Q diag(lambda / (lambda s + c)) Q' (X'y - X'X z)

    once      of a block: X'X (d, d)
    part      of a block: X'Y (d, k)
    combine   sums
    finish    the values X W, block by block

Y and X W (n, k) are in memory; the rows are not.
"""

import numpy as np

from kinfolk.arrays import Matrix, Vector
from kinfolk.blocks import gram, kernel
from kinfolk.blocks.block import Block
from kinfolk.blocks.blocks import Blocks
from kinfolk.numerics import distances, operators, weighted_rows
from kinfolk.numerics.ridge import Solution


class BlockRidge:
    """Ridge regressions on rows X (n, d) in blocks, with the interface of `numerics.ridge`.

    With weights (n,) they are regressions on D^1/2 X (`numerics.weighted_rows`).

    Raises
    ------
    InputError : more columns than X'X can have in memory

    >>> rows = Blocks(np.eye(2), block_rows=1)
    >>> Y = np.array([[3.0], [0.0]])
    >>> BlockRidge(rows).towards(Y, np.zeros((2, 1)), 2.0, np.ones(1)).W
    array([[2.],
           [0.]])
    """

    def __init__(self, rows: Blocks, weight: Vector | None = None) -> None:
        gram.check_width(rows)
        self.rows = rows
        self.width = rows.shape[1]
        self._weight = weight
        self._products: Matrix = rows.total(_squares)
        values, self._vectors = np.linalg.eigh(self._products)
        self._values = np.maximum(values, 0.0)[:, None]

    def towards(self, Y: Matrix, Z: Matrix, weight: float, c: Vector) -> Solution:
        """Regress Y (n, k) on X shrunk towards coefficients Z (d, k), with penalties c (k,)."""
        heavy = weighted_rows.times_roots(Y, self._weight)
        pull = self.rows.total(kernel.crossed, of_rows=(heavy,)) - self._products @ Z
        shares = weight / (weight * self._values + c)
        W = Z + self._vectors @ (shares * (self._vectors.T @ pull))
        return Solution(W, self.values(W))

    def values(self, W: Matrix) -> Matrix:
        """Fitted values X W (n, k): one pass over the rows."""
        found: Matrix = self.rows.gathered(kernel.times, W)
        return weighted_rows.times_roots(found, self._weight)


def _squares(block: Block) -> Matrix:
    weight = block.weight
    heavy = block.x if weight is None else distances.rows_times(block.x, weight)
    return operators.crossed(block.x, heavy)
