"""Denoising layers of rows in blocks, and Gram matrices of the rows with the layers' outputs.

    once, for each layer   of a block: H'DH (d, d), H'w (d,) and the weight       `denoising.Sums`
    once                   of a block: the squared lengths of its X and of its Z
    once                   of a block: the upper triangles of Z_s'Z_s (D, D) of unit rows, for each
                           task s
    combine                sums

H are the rows of a block, or the output of the layer before, which is made anew from the rows in
each pass and never kept. X (n, d), Z (n, D) with g layers and D = (g + 1) d.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinfolk.arrays import Matrix, Table, Vector
from kinfolk.blocks import gram
from kinfolk.blocks.block import Block
from kinfolk.blocks.blocks import Blocks
from kinfolk.errors import InputError
from kinfolk.numerics import backend, common_features, denoising, distances, geometry
from kinfolk.numerics.denoising import Layer, Sums
from kinfolk.numerics.features import Features
from kinfolk.running import progress


@dataclass(frozen=True)
class Outputs:
    """Function of rows (m, d) that puts the outputs of denoising layers beside them, (m, D).

    >>> layer = denoising.fit(np.array([[1.0], [3.0]]), 0.5, 1e-9)[0]
    >>> Outputs((layer,))(np.array([[1.0]])).round(2)
    array([[1.  , 0.96]])
    """

    layers: tuple[Layer, ...]

    def __call__(self, x: Any) -> Table:
        """Return the rows and the outputs of all layers side by side."""
        return Features(denoising.stack(backend.host(x), list(self.layers))).double().merged()


def layers(rows: Blocks, noise: float, n_layers: int, ridge: float) -> tuple[Layer, ...]:
    """Fit denoising layers on weighted rows in blocks, in one pass for each layer.

    They are those of `numerics.common_features.fit`, in the d x d form.

    Raises
    ------
    InputError : more columns than (d, d) sums can have in memory

    >>> rows = Blocks(np.array([[1.0, 1.0], [-1.0, -1.0], [2.0, 2.0]]), block_rows=2)
    >>> layers(rows, 0.5, 1, 1e-5)[0].core.round(3)
    array([[0.609, 0.609],
           [0.609, 0.609]])
    """
    found: tuple[Layer, ...] = ()
    for _ in progress.track(range(n_layers), "learning common features"):
        gram.check_width(rows)
        sums: Sums = rows.total(_sums, found)
        found = (*found, denoising.of_sums(sums, noise, ridge))
    return found


def with_outputs(rows: Blocks, found: tuple[Layer, ...]) -> Blocks:
    """Return the rows with the outputs of denoising layers beside them, made as they are read."""
    return rows.mapped(Outputs(found), rows.shape[1] * (1 + len(found)))


def layer_share(Z: Blocks, d: int) -> float:
    """Share of the squared length of rows Z (n, D) that is not in their first d columns.

    >>> layer_share(Blocks(np.ones((3, 4)), block_rows=2), 1)
    0.75
    """
    own, total = Z.total(_lengths, d)
    return common_features.share(own, total)


def triangles(Z: Blocks, T: int, precision: type[np.floating]) -> tuple[Vector, ...]:
    """Upper triangles of Z_s'Z_s (D, D) of the unit rows of each of T tasks, in one pass.

    Raises
    ------
    InputError : they would not fit in memory

    >>> triangles(Blocks(np.array([[3.0, 4.0], [0.0, 2.0]]), block_rows=1), 1, np.float64)
    (array([0.36, 0.48, 1.64]),)
    """
    D = Z.shape[1]
    if T * D**2 > gram.WIDEST**2:
        most = int(gram.WIDEST / np.sqrt(T))
        raise InputError(
            f"X is in blocks, and its columns and layers are {D} numbers a row, whose products for "
            f"{T} tasks would fill the memory; give at most {most}: fewer columns, or fewer layers "
            "(n_layers=)."
        )
    found: tuple[Vector, ...] = Z.total(_triangles, T, precision)
    return found


def _sums(block: Block, found: tuple[Layer, ...]) -> Sums:
    H = denoising.stack(backend.host(block.x), list(found))[-1]
    return denoising.sums(H, block.weight)


def _lengths(block: Block, d: int) -> tuple[float, float]:
    x: Any = block.x
    both = (distances.squared_norms(table) for table in (x[:, :d], x))
    own, total = (backend.total(norms, block.weight) for norms in both)
    return own, total


def _triangles(block: Block, T: int, precision: type[np.floating]) -> tuple[Vector, ...]:
    return tuple(geometry.triangle(Features([z]), precision) for z in unit_by_task(block, T))


def unit_by_task(block: Block, T: int) -> list[Matrix]:
    """Rows of a block scaled to unit length, of each of T tasks.

    >>> unit_by_task(Block(np.array([[2.0], [-3.0]]), codes=np.array([1, 1])), 2)
    [array([], shape=(0, 1), dtype=float64), array([[ 1.],
           [-1.]])]
    """
    Z: Any = distances.unit_rows(block.x)
    if block.codes is None:
        return [Z]
    return [Z[np.flatnonzero(block.codes == t)] for t in range(T)]
