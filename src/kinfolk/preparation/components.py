"""One spread for columns of numbers that look like principal components, beside other columns.

Components, such as those of an embedding, have one unit: with a spread of its own each, the last
ones, which are mostly noise, would count as the first. The common spread in a task is the root mean
square of theirs, so that together they count as much as that many columns of variance 1.
"""

import numpy as np

from kinfolk.arrays import Labels, Matrix
from kinfolk.numerics import kinds


def like_components(E: Matrix, codes: Labels, centers: Matrix) -> bool:
    """True if columns of numbers (n, d), less their means in each task, look like components.

    `codes` (n,) are positions of tasks, `centers` (T, d) their means; gaps stand at the mean.

    >>> E = np.random.default_rng(0).normal(size=(200, 12)) / np.arange(1, 13)
    >>> like_components(E, np.zeros(200, dtype=int), E.mean(axis=0)[None])
    True
    """
    return kinds.like_components(np.nan_to_num(E - centers[codes], nan=0.0))


def common_spreads(spreads: Matrix) -> Matrix:
    """Spreads (T, d) with the root mean square of each task; columns of spread 0 keep it.

    >>> common_spreads(np.array([[3.0, 0.0, 4.0]])).round(3)
    array([[2.887, 0.   , 2.887]])
    """
    common = np.sqrt(np.square(spreads).mean(axis=1, keepdims=True))
    return np.where(spreads > 0, common, 0.0)


def share_spreads(spreads: Matrix, fills: Matrix, columns: Labels) -> None:
    """Set in place the spreads (T, d) of `columns` to common ones; rescale their fills to match."""
    common = common_spreads(spreads[:, columns])
    fills[:, columns] *= spreads[:, columns] / np.where(common > 0, common, 1.0)
    spreads[:, columns] = common


def are_common(spreads: Matrix) -> bool:
    """True if the columns of each task have one spread (T, d), as `common_spreads` makes it.

    >>> are_common(np.full((2, 10), 0.3)), are_common(np.arange(1.0, 11.0)[None])
    (True, False)
    """
    if spreads.shape[1] < kinds.FEWEST_COMPONENTS:
        return False
    largest = spreads.max(axis=1, keepdims=True)
    return bool(((spreads == largest) | (spreads == 0)).all() and (largest > 0).any())
