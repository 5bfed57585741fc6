"""Gram matrix X X' of rows in blocks, as an operator with products.

    part      of a block: X'M (d, r)
    combine   sums
    finish    the rows X (X'M), block by block

M (n, r) and what comes of it are in memory; the rows are not.
"""

from typing import NamedTuple

import numpy as np

from kinfolk.arrays import Labels, Matrix, Vector
from kinfolk.blocks.block import Block
from kinfolk.blocks.blocks import Blocks
from kinfolk.errors import InputError
from kinfolk.numerics import backend, distances, operators, starts


class BlockKernel(NamedTuple):
    """Gram matrix K = XX' (n, n) of rows X (n, d) in blocks, as products.

    With factors `roots` (n,) it is that of the rows times these.

    >>> K = kernel(Blocks(np.array([[2.0, 0.0], [0.0, 3.0], [1.0, 1.0]]), block_rows=2))
    >>> K.times(np.ones((3, 1))).ravel(), K.squared_norms
    (array([ 6., 12.,  7.]), array([4., 9., 2.]))
    """

    rows: Blocks
    squared_norms: Vector
    signed: bool
    roots: Vector | None = None

    def times(self, M: Matrix) -> Matrix:
        """Product K M (n, r): two passes over the rows."""
        found: Matrix = self.rows.gathered(times, self.crossed(M))
        return found if self.roots is None else found * self.roots[:, None]

    def crossed(self, M: Matrix) -> Matrix:
        """Product X'M (d, r): one pass over the rows."""
        M = M if self.roots is None else M * self.roots[:, None]
        found: Matrix = self.rows.total(crossed, of_rows=(M,))
        return found

    def scaled(self, roots: Vector) -> "BlockKernel":
        """Return the Gram matrix of the rows times `roots` (n,)."""
        norms = self.squared_norms * np.square(roots)
        return self._replace(squared_norms=norms, roots=roots)

    def parts(self, M: Matrix, KM: Matrix) -> tuple[Matrix, Matrix | None]:
        """Return (K M, None); only valid if no entry of the rows is negative.

        Raises
        ------
        InputError : rows have negative entries
        """
        check_signs(self.signed)
        return KM, None


def kernel(rows: Blocks) -> BlockKernel:
    """Build the Gram matrix operator of rows in blocks (reads all rows twice)."""
    return BlockKernel(rows, rows.gathered(_norms), bool(rows.total(lowest, combine=min) < 0))


def check_signs(signed: bool) -> None:
    """Raise InputError if rows in blocks have negative entries, for multiplicative updates."""
    # Those need K split into its positive and negative entries, which only K in memory shows.
    if signed:
        raise InputError(
            "X is in blocks and has negative entries, and for them multiplicative updates "
            "need all rows in memory: give update='exact'."
        )


def check_sample(rows: int, k: int, of: str = "") -> None:
    """Raise InputError if a sample of so many rows has too few for the starts of k clusters.

    `of` begins the sentence and names the task, as in "task 'a': ".
    """
    if k > rows:
        raise InputError(
            f"{of}n_clusters is {k}, and starts are drawn from the {rows} rows of the sample in "
            "memory; give at most that number."
        )


def lowest(block: Block) -> float:
    """Smallest entry of a block, at most 0."""
    found = operators.entries(block.x)
    return min(0.0, float(backend.namespace(found).min(found))) if min(found.shape) else 0.0


def nearest(block: Block, V: Matrix) -> Labels:
    """Index (m,) of the center in V (k, d) nearest to each row of a block."""
    labels: Labels = backend.lowest(distances.squared(block.x, V))
    return labels


def start_labels(rows: Blocks, near: Block, k: int, seed: int, n_init: int = 1) -> Labels:
    """Label all rows (n,) by the nearest center of k-means on a sample `near` (m, d).

    >>> table = np.array([[0.0], [9.0], [9.5]])
    >>> start_labels(Blocks(table, block_rows=2), Block(table), 2, 0)
    array([1, 0, 0])
    """
    found = starts.means(near.x, k, seed, n_init, near.weight)
    labels: Labels = rows.gathered(nearest, found.cluster_centers_)
    return labels


def times(block: Block, C: Matrix) -> Matrix:
    """Product of a block's rows (m, d) with C (d, r)."""
    return operators.times(block.x, C)


def crossed(block: Block, M: Matrix) -> Matrix:
    """Product X'M (d, r) of a block's rows X (m, d) with M (m, r)."""
    return operators.crossed(block.x, M)


def _norms(block: Block) -> Vector:
    return backend.host(distances.squared_norms(block.x))
