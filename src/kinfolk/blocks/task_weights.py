"""Task weights alpha of MTCFIR for rows in blocks, counted from sampled rows of each task.

    eps_t     = median over sampled rows of the (l+1)-th largest cosine with the rows of task t
    alpha_ts  = share of the pairs of a sampled row of t and a row of s whose cosine is >= eps_t

    first pass    of a block: the l_t + 1 largest cosines of each sampled row with rows of its task
    second pass   of a block: counts (3, m, T) of rows that reach eps_t and two levels near it, for
                  each task
    combine       the largest of both; sums

These are the estimates and errors of `associations.sampled_weights` for the same sampled rows.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from kinfolk.arrays import Matrix
from kinfolk.blocks.block import Block
from kinfolk.blocks.blocks import Blocks
from kinfolk.blocks.common_features import unit_by_task
from kinfolk.numerics import affinities, associations, operators
from kinfolk.numerics.associations import TaskWeights

Tops = tuple[Matrix, ...]


def sampled_weights(
    Z: Blocks, sizes: Sequence[int], sampled: Sequence[Matrix], l: Sequence[int]
) -> TaskWeights:
    """Estimate task weights for rows Z (n, D) in blocks, in two passes over the rows.

    Parameters
    ----------
    sizes : (T,) rows of each task
    sampled : of each task some unit rows (m_t, D)
    l : (T,) neighbor ranks, below the sizes

    >>> rows = np.eye(3)
    >>> Z = Blocks(rows[[0, 1, 2, 0, 1, 1]], tasks=list("aaabbb"), block_rows=4)
    >>> sampled_weights(Z, [3, 3], [rows, rows[[0, 1, 1]]], [1, 1]).alpha.round(3)
    array([[1.   , 1.   ],
           [0.333, 0.556]])
    """
    T = len(sizes)
    most = tuple(rank + 1 for rank in l)
    tops: Tops = Z.total(_largest, tuple(sampled), most, combine=partial(_larger, most=most))
    ranked = [top.min(axis=1) for top in tops]
    reached = np.vectorize(affinities.Cosine().reached)
    levels = tuple(reached(associations.sampled_levels(own)) for own in ranked)
    counts: tuple[np.ndarray, ...] = Z.total(_counts, tuple(sampled), levels)
    alpha: Matrix = np.empty((T, T))
    error: Matrix = np.empty((T, T))
    for t, count in enumerate(counts):
        shares: Any = count / np.array(sizes)
        alpha[t], error[t] = associations.estimated(shares, ranked[t], t, sizes[t])
    return TaskWeights(alpha, error)


def _largest(block: Block, sampled: tuple[Matrix, ...], most: tuple[int, ...]) -> Tops:
    """Return the largest cosines (m_t, .) of each sampled row within its task, `most` (T,)."""
    found = []
    for own, count, z in zip(sampled, most, unit_by_task(block, len(most)), strict=True):
        top: Matrix = np.empty((len(own), 0))
        for piece in operators.blocks(z.shape[0], len(own)):
            top = _top(np.hstack([top, operators.dense(own @ z[piece].T)]), count)
        found.append(top)
    return tuple(found)


def _larger(a: Tops, b: Tops, most: tuple[int, ...]) -> Tops:
    """Merge the largest cosines with the rows of two blocks, `most` (T,) of each row."""
    pairs = zip(a, b, most, strict=True)
    return tuple(_top(np.hstack([x, y]), count) for x, y, count in pairs)


def _top(values: Matrix, most: int) -> Matrix:
    """Return the largest numbers of each row of (m, c), `most` of them at the most.

    >>> _top(np.array([[3.0, 1.0, 2.0]]), 1), _top(np.array([[3.0]]), 2)
    (array([[3.]]), array([[3.]]))
    """
    c = values.shape[1]
    return values if c <= most else np.partition(values, c - most, axis=1)[:, c - most :]


def _counts(
    block: Block, sampled: tuple[Matrix, ...], levels: tuple[np.ndarray, ...]
) -> tuple[np.ndarray, ...]:
    """Numbers (3, m_t, T) of each task's rows that reach three levels, for each task's sample."""
    parts = unit_by_task(block, len(sampled))
    found = []
    for own, three in zip(sampled, levels, strict=True):
        count = np.zeros((len(three), len(own), len(parts)))
        for s, z in enumerate(parts):
            for piece in operators.blocks(z.shape[0], len(own)):
                tile = operators.dense(own @ z[piece].T)
                for i, level in enumerate(three):
                    count[i, :, s] += np.count_nonzero(tile >= level, axis=1)
        found.append(count)
    return tuple(found)
